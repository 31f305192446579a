// @ts-check
// The pictures that the demo offers, drawn to look like photographs and screenshots: light that falls off, grain, turned
// paper, perspective. tools/pictures/make.mjs renders them into demos/samples/, with a thumbnail each.

/**
 * @typedef {{ file: string, name: string, width: number, height: number, exact: boolean, text: string[], html: string }} Sample
 * name: as the demo calls it; text: in reading order; exact: every character is read right, otherwise at least 95 of 100
 */

/** Grain over everything, and light that falls off towards the corners. */
const grain = (/** @type {number} */ strength, /** @type {number} */ frequency = 0.8) => `
  <svg width="0" height="0"><filter id="grain"><feTurbulence type="fractalNoise" baseFrequency="${frequency}" numOctaves="2" seed="3"/>
  <feColorMatrix values="0 0 0 0 0.5  0 0 0 0 0.5  0 0 0 0 0.5  1.2 0 0 0 -0.25"/></filter></svg>
  <div style="position:absolute;inset:0;filter:url(#grain);opacity:${strength};mix-blend-mode:overlay"></div>
  <div style="position:absolute;inset:0;background:radial-gradient(120% 120% at 38% 30%,#fff2 0,#0000 45%,#0006 100%)"></div>`;

/** @param {{ width: number, height: number, background: string, body: string, after?: string }} scene */
const scene = ({ width, height, background, body, after = '' }) =>
  `<div style="position:relative;width:${width}px;height:${height}px;overflow:hidden;background:${background}">${body}${after}</div>`;

/** Out of focus, behind the subject. @param {string} style */
const blob = (style) => `<div style="position:absolute;${style}"></div>`;

const sign = ['HARBOUR ROAD', 'Town Hall 400 m', 'Museum of Glass 1 km', 'Ferry Terminal 2 km'];
const receipt = {
  head: ['CORNER CAFE', '14 Mill Lane', '2 December 2026 08:42'],
  goods: [['Flat white', '3.40'], ['Almond croissant', '2.95'], ['Orange juice', '2.80'], ['Bread roll', '1.15']],
  sum: [['TOTAL', '10.30'], ['Card', '10.30']],
  foot: ['Thank you for your visit'],
}; // prettier-ignore
const settings = {
  title: 'Notification settings',
  rows: [['Show banners', 'On'], ['Play a sound', 'Off'], ['Preview text on lock screen', 'When unlocked'], ['Quiet hours', '22:00 to 07:00']],
  note: 'Changes apply to this device only.',
  buttons: ['Cancel', 'Save changes'],
}; // prettier-ignore
const book = [
  'The lighthouse had been dark for eleven winters',
  'when the first letter came. It was addressed to no',
  'one in particular, and the postman, who was a',
  'careful man, carried it up the hill all the same.',
  'He left it under a stone by the door and walked',
  'home without once turning round. In the morning',
  'the stone was gone, and so was the letter.',
];
const board = [['08:12', 'Northport', '3'], ['08:25', 'Ashford Central', '1'], ['08:40', 'Lake Terrace', '5'], ['09:05', 'Airport Express', '2']]; // prettier-ignore
const menu = [['Tomato soup', '6.50'], ['Mushroom risotto', '11.80'], ['Baked salmon', '14.20'], ['Apple crumble', '5.40']]; // prettier-ignore

const between = (/** @type {string[]} */ [left, right], style = '') =>
  `<div style="display:flex;justify-content:space-between;${style}"><span>${left}</span><span>${right}</span></div>`;

/** @type {Sample[]} */
export const samples = [
  {
    file: 'sign.jpg',
    name: 'Street sign',
    width: 960,
    height: 720,
    exact: false,
    text: sign,
    html: scene({
      width: 960,
      height: 720,
      background: 'linear-gradient(#86aed2 0,#c9dbe6 46%,#dfe3dc 58%,#8b8f86 58.5%,#5f635d 100%)',
      body: `
        <div style="filter:blur(9px);position:absolute;inset:0">
          ${blob('left:-60px;top:150px;width:330px;height:330px;background:linear-gradient(90deg,#a9714e,#8a5638)')}
          ${[0, 1, 2, 3, 4, 5].map((i) => blob(`left:${10 + (i % 3) * 85}px;top:${190 + Math.floor(i / 3) * 110}px;width:44px;height:66px;background:#3c4a55`)).join('')}
          ${blob('right:-40px;top:90px;width:300px;height:400px;background:linear-gradient(90deg,#d8cdb8,#b9ab92)')}
          ${[0, 1, 2, 3].map((i) => blob(`right:${30 + (i % 2) * 110}px;top:${130 + Math.floor(i / 2) * 140}px;width:60px;height:90px;background:#56646b`)).join('')}
          ${blob('left:250px;top:230px;width:300px;height:260px;border-radius:50%;background:#4f6b3b')}
          ${blob('left:420px;top:270px;width:260px;height:220px;border-radius:50%;background:#3e5a30')}
        </div>
        <div style="position:absolute;left:468px;top:90px;width:26px;height:700px;background:linear-gradient(90deg,#5c6268,#c5cbd0 35%,#6e747a)"></div>
        <div style="position:absolute;left:150px;top:130px;width:660px;perspective:1100px">
          <div style="transform:rotateY(-17deg) rotateX(4deg) rotate(-2.5deg);padding:34px 44px 38px;border-radius:16px;
            background:linear-gradient(115deg,#2f6db3 0,#1c4f8f 45%,#143c70 100%);border:7px solid #eef3f7;outline:3px solid #0c2a50;
            box-shadow:0 22px 40px #0007;color:#f6fafc;font:bold 62px 'Liberation Sans';line-height:1.15">
            ${sign[0]}<div style="height:4px;background:#eef3f7;margin:12px 0 16px"></div>
            <div style="font-size:42px;line-height:1.42;font-weight:normal">${sign.slice(1).join('<br>')}</div>
          </div>
        </div>`,
      after: grain(0.5),
    }),
  },
  {
    file: 'receipt.jpg',
    name: 'Receipt',
    width: 720,
    height: 960,
    exact: false,
    text: [...receipt.head, ...receipt.goods.flat(), ...receipt.sum.flat(), ...receipt.foot],
    html: scene({
      width: 720,
      height: 960,
      background: '#6d4c33',
      body: `
        <svg style="position:absolute;inset:0" width="720" height="960"><filter id="wood"><feTurbulence type="fractalNoise" baseFrequency="0.012 0.28" numOctaves="4" seed="11"/>
          <feColorMatrix values="0.5 0 0 0 0.22  0.36 0 0 0 0.13  0.25 0 0 0 0.07  0 0 0 0 1"/></filter><rect width="720" height="960" filter="url(#wood)"/></svg>
        <div style="position:absolute;left:122px;top:52px;width:466px;height:850px;transform:rotate(2.6deg);
          background:linear-gradient(96deg,#e9e6dd 0,#faf8f2 22%,#fbfaf5 60%,#e4e0d5 100%);box-shadow:0 10px 26px #000a,0 2px 4px #0006">
          <svg style="position:absolute;inset:0;mix-blend-mode:multiply;opacity:.5" width="466" height="850"><filter id="paper"><feTurbulence type="fractalNoise" baseFrequency="0.03 0.05" numOctaves="3" seed="5"/>
            <feColorMatrix values="0 0 0 0 0.75  0 0 0 0 0.73  0 0 0 0 0.68  0.9 0 0 0 -0.3"/></filter><rect width="466" height="850" filter="url(#paper)"/></svg>
          <div style="position:absolute;left:0;right:0;top:395px;height:34px;background:linear-gradient(#0000,#00000016 48%,#ffffff90 52%,#0000)"></div>
          <div style="position:relative;padding:52px 40px;color:#34353d;font:25px 'Liberation Mono';line-height:1">
            <div style="text-align:center;font-weight:bold;font-size:34px;margin-bottom:22px">${receipt.head[0]}</div>
            <div style="text-align:center;margin-bottom:16px">${receipt.head[1]}</div>
            <div style="text-align:center;margin-bottom:40px">${receipt.head[2]}</div>
            ${receipt.goods.map((row) => between(row, 'margin:22px 0')).join('')}
            <div style="border-top:3px dashed #55565e;margin:34px 0 30px"></div>
            ${between(receipt.sum[0], 'font-weight:bold;font-size:32px;margin-bottom:26px')}${between(receipt.sum[1])}
            <div style="text-align:center;margin-top:64px">${receipt.foot[0]}</div>
          </div></div>`,
      after: grain(0.35),
    }),
  },
  {
    file: 'screenshot.png',
    name: 'Screenshot',
    width: 900,
    height: 640,
    exact: false,
    text: [settings.title, ...settings.rows.flat(), settings.note, ...settings.buttons],
    html: scene({
      width: 900,
      height: 640,
      background: '#46588a',
      body: `
        <div style="position:absolute;left:110px;top:64px;width:680px;height:512px;border-radius:12px;background:#f7f7f9;box-shadow:0 4px 12px #0006;
          font:20px 'DejaVu Sans';color:#22242a;overflow:hidden">
          <div style="display:flex;align-items:center;height:58px;background:#e9eaee;padding:0 22px;font-weight:bold;font-size:21px">
            <i style="width:14px;height:14px;border-radius:50%;background:#e5675d;margin-right:9px"></i><i style="width:14px;height:14px;border-radius:50%;background:#e4b24a;margin-right:9px"></i>
            <i style="width:14px;height:14px;border-radius:50%;background:#6cb765;margin-right:24px"></i>${settings.title}</div>
          ${settings.rows.map((row) => between(row, 'padding:21px 34px 19px;border-bottom:1px solid #dcdde2')).join('')}
          <div style="padding:20px 34px;color:#5d616b;font-size:18px">${settings.note}</div>
          <div style="position:absolute;right:30px;bottom:26px;display:flex;gap:16px">
            <span style="padding:12px 26px;border:1px solid #b9bcc6;border-radius:8px;background:#fff">${settings.buttons[0]}</span>
            <span style="padding:12px 26px;border-radius:8px;background:#2f5fd0;color:#fff">${settings.buttons[1]}</span></div></div>`,
    }),
  },
  {
    file: 'book.jpg',
    name: 'Book page',
    width: 960,
    height: 720,
    exact: true,
    text: book,
    html: scene({
      width: 960,
      height: 720,
      background: '#3a332c',
      body: `
        <div style="position:absolute;left:-70px;top:-60px;width:1120px;height:840px;transform:rotate(-1.4deg);
          background:linear-gradient(90deg,#4e4336 0,#b6a78c 7%,#e4d8c0 18%,#efe5d1 45%,#eadfc9 80%,#d8cab0 100%)">
          <svg style="position:absolute;inset:0;mix-blend-mode:multiply;opacity:.55" width="1120" height="840"><filter id="fibre"><feTurbulence type="fractalNoise" baseFrequency="0.02 0.04" numOctaves="4" seed="8"/>
            <feColorMatrix values="0 0 0 0 0.8  0 0 0 0 0.74  0 0 0 0 0.62  0.9 0 0 0 -0.35"/></filter><rect width="1120" height="840" filter="url(#fibre)"/></svg>
          <div style="position:absolute;left:236px;top:150px;color:#2a251f;font:33px 'Liberation Serif';line-height:74px;white-space:pre;filter:blur(.35px)">${book.join('<br>')}</div></div>`,
      after: grain(0.4),
    }),
  },
  {
    file: 'board.jpg',
    name: 'Departures',
    width: 960,
    height: 600,
    exact: false,
    text: ['Departures', ...board.flat()],
    html: scene({
      width: 960,
      height: 600,
      background: 'linear-gradient(#20242b,#12151a)',
      body: `
        <div style="position:absolute;inset:0;filter:blur(14px)">${blob('left:0;top:0;width:960px;height:70px;background:#3b4350')}${blob('left:120px;top:8px;width:160px;height:24px;background:#cfe2ee')}
          ${blob('left:640px;top:8px;width:180px;height:24px;background:#cfe2ee')}</div>
        <div style="position:absolute;left:64px;top:74px;width:832px;perspective:1500px"><div style="transform:rotateX(7deg) rotateY(6deg);background:linear-gradient(160deg,#15181d,#0a0c0f);
          border:10px solid #33383f;border-radius:10px;padding:26px 44px 30px;box-shadow:0 20px 50px #000c">
          <div style="font:bold 40px 'Liberation Sans';color:#eef2f5;margin-bottom:16px">Departures</div>
          ${board
            .map(
              ([
                time,
                place,
                track,
              ]) => `<div style="display:grid;grid-template-columns:210px 1fr 40px;font:bold 44px 'DejaVu Sans Mono';font-size:38px;line-height:78px;
              color:#ffb53a;text-shadow:0 0 12px #ff9a1a80;border-top:1px solid #2a2f36"><span>${time}</span><span>${place}</span><span>${track}</span></div>`,
            )
            .join('')}</div></div>`,
      after: grain(0.3),
    }),
  },
  {
    file: 'menu.jpg',
    name: 'Chalk menu',
    width: 800,
    height: 800,
    exact: true,
    text: ['Lunch menu', ...menu.flat(), 'served until 3 pm'],
    html: scene({
      width: 800,
      height: 800,
      background: 'linear-gradient(120deg,#b58a5a,#8a6238)',
      body: `
        <div style="position:absolute;left:54px;top:48px;right:54px;bottom:48px;transform:rotate(-1.2deg);background:linear-gradient(140deg,#3a4541,#27302d);
          border:20px solid #6a4526;box-shadow:inset 0 0 50px #000a,0 14px 34px #0009">
          <svg style="position:absolute;inset:0;opacity:.5" width="650" height="664"><filter id="dust"><feTurbulence type="fractalNoise" baseFrequency="0.006 0.03" numOctaves="4" seed="21"/>
            <feColorMatrix values="0 0 0 0 0.9  0 0 0 0 0.95  0 0 0 0 0.9  0.7 0 0 0 -0.32"/></filter><rect width="650" height="664" filter="url(#dust)"/></svg>
          <div style="position:relative;padding:46px 52px;color:#f1efe6;font:italic 37px 'DejaVu Serif';text-shadow:0 0 1px #fff8">
            <div style="text-align:center;font-size:54px;margin-bottom:46px">Lunch menu</div>
            ${menu.map((row) => between(row, 'margin:30px 0')).join('')}
            <div style="text-align:center;margin-top:62px;font-size:32px;color:#f4dc9a">served until 3 pm</div></div></div>`,
      after: grain(0.45),
    }),
  },
];
