// The sample pictures, drawn for this page by tools/pictures/samples.mjs.

import board from '../samples/board.jpg?url';
import boardSmall from '../samples/board-small.jpg?url';
import book from '../samples/book.jpg?url';
import bookSmall from '../samples/book-small.jpg?url';
import menu from '../samples/menu.jpg?url';
import menuSmall from '../samples/menu-small.jpg?url';
import receipt from '../samples/receipt.jpg?url';
import receiptSmall from '../samples/receipt-small.jpg?url';
import screenshot from '../samples/screenshot.png?url';
import screenshotSmall from '../samples/screenshot-small.jpg?url';
import sign from '../samples/sign.jpg?url';
import signSmall from '../samples/sign-small.jpg?url';

export const samples = [
  { name: 'Street sign', url: sign, small: signSmall },
  { name: 'Receipt', url: receipt, small: receiptSmall },
  { name: 'Screenshot', url: screenshot, small: screenshotSmall },
  { name: 'Book page', url: book, small: bookSmall },
  { name: 'Departures', url: board, small: boardSmall },
  { name: 'Chalk menu', url: menu, small: menuSmall },
] as const;
