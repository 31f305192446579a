// @ts-check
// What tools/pictures/make.mjs draws: lines of text for the recognition network, pages for the detection network.

/**
 * @typedef {'gray' | 'gray 1 bit' | 'gray 16 bit' | 'gray alpha' | 'gray transparent' | 'alpha' | 'palette 2 bit' |
 *   'palette transparent'} PngFormat
 * @typedef {PngFormat | 'jpeg' | 'jpeg turned'} Format  without one: an RGB PNG
 * @typedef {{ file: string, text: string, font: string, size: number, style?: string, ink?: string, paper?: string,
 *   format?: Format }} Line
 * @typedef {{ file: string, width: number, height: number, text: string[], html: string }} Page
 */

/** @type {Line[]} */
export const lines = [
  { file: 'quick-brown-fox.png', text: 'The quick brown fox 0123', font: 'DejaVu Sans', size: 32 },
  { file: 'lazy-dog.png', text: 'jumps over the lazy dog', font: 'Liberation Serif', size: 28 },
  {
    file: 'exit.png',
    text: 'EXIT',
    font: 'Liberation Sans',
    size: 64,
    style: 'bold',
    ink: '#fff',
    paper: '#0a7d33',
  },
  { file: 'invoice.png', text: 'Invoice No. 20461', font: 'DejaVu Serif', size: 16 },
  {
    file: 'command.png',
    text: 'npm run build',
    font: 'Liberation Mono',
    size: 20,
    ink: '#d8f0d8',
    paper: '#1b1f1b',
  },
  {
    file: 'opening-hours.jpg',
    text: 'Open Monday to Friday',
    font: 'Liberation Sans',
    size: 44,
    format: 'jpeg',
  },
  {
    file: 'held-upright.jpg',
    text: 'Platform 7',
    font: 'DejaVu Sans',
    size: 40,
    style: 'bold',
    format: 'jpeg turned',
  },
  { file: 'station.png', text: 'Train leaves at 18:45', font: 'DejaVu Sans Mono', size: 24, format: 'gray' },
  {
    file: 'stamp.png',
    text: 'PAID IN FULL',
    font: 'Liberation Serif',
    size: 48,
    style: 'bold',
    format: 'gray 1 bit',
  },
  {
    file: 'scan.png',
    text: 'Chapter 12',
    font: 'Liberation Serif',
    size: 36,
    style: 'italic',
    format: 'gray 16 bit',
  },
  { file: 'label.png', text: 'Handle with care', font: 'Liberation Sans', size: 22, format: 'gray alpha' },
  {
    file: 'caption.png',
    text: 'Figure 3: results',
    font: 'DejaVu Serif',
    size: 26,
    format: 'gray transparent',
  },
  { file: 'logo.png', text: 'Northern Lights', font: 'DejaVu Sans', size: 52, format: 'alpha' },
  {
    file: 'subtitle.png',
    text: 'What time is it?',
    font: 'Liberation Sans',
    size: 30,
    format: 'palette 2 bit',
  },
  {
    file: 'badge.png',
    text: 'Member since 2019',
    font: 'Liberation Mono',
    size: 28,
    format: 'palette transparent',
  },
  {
    file: 'long-sentence.png',
    text: 'A compiler lowers every layer of the network to loops and the loops to vector code',
    font: 'Liberation Serif',
    size: 30,
  },
];

const road = ['NORTH STREET', 'City Centre 2 km', 'Hospital 500 m'];
const goods = [['Coffee', '3.20'], ['Bread roll', '1.15'], ['Orange juice', '2.80'], ['TOTAL', '7.15']]; // prettier-ignore
const dialog = ['Save changes?', 'The file report.txt has been changed.', 'Cancel', 'Save'];

/** @type {Page[]} */
export const pages = [
  {
    file: 'page-sign.png',
    width: 640,
    height: 400,
    text: road,
    html: `<div style="width:640px;height:400px;background:linear-gradient(#8fb6d9,#d9e4ea 60%,#7c8a5a 60%,#5e6b45);overflow:hidden">
      <div style="margin:60px 90px;padding:24px;border-radius:14px;background:#1c4f8f;border:5px solid #fff;color:#fff;
      font:bold 40px 'Liberation Sans';transform:rotate(-2deg)">${road[0]}<br><span style="font-size:30px">${road[1]}<br>${road[2]}</span></div></div>`,
  },
  {
    file: 'page-receipt.jpg',
    width: 384,
    height: 512,
    text: ['CORNER CAFE', ...goods.flat(), 'Thank you'],
    html: `<div style="width:384px;height:512px;background:#6b5a48;overflow:hidden">
      <div style="margin:28px 40px;padding:26px;height:400px;background:#fbfaf5;color:#222;font:22px 'Liberation Mono'">
      <p style="text-align:center;font-weight:bold">CORNER CAFE</p>
      ${goods.map(([what, price]) => `<p style="display:flex;justify-content:space-between;margin:14px 0"><span>${what}</span><span>${price}</span></p>`).join('')}
      <p style="text-align:center;margin-top:40px">Thank you</p></div></div>`,
  },
  {
    file: 'page-dialog.png',
    width: 800,
    height: 480,
    text: dialog,
    html: `<div style="width:800px;height:480px;background:#c9ced6;overflow:hidden;font:20px 'DejaVu Sans'">
      <div style="margin:110px 130px;padding:28px;background:#fff;border-radius:10px;box-shadow:0 6px 20px #0006">
      <b style="font-size:26px">${dialog[0]}</b><p>${dialog[1]}</p><div style="text-align:right">
      <span style="padding:8px 22px;border:1px solid #888;margin:10px">${dialog[2]}</span>
      <span style="padding:8px 22px;background:#2a62c8;color:#fff">${dialog[3]}</span></div></div></div>`,
  },
];
