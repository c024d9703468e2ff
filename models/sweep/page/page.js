'use strict';
(() => {
const data = JSON.parse(document.getElementById('data').textContent);

// Okabe and Ito's colours, which people with colour vision deficiencies can tell apart; the last is the text's colour.
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', null];
const DARK_COLOURS = ['#56b4e9', '#e69f00', '#009e73', '#cc79a7', '#d55e00', '#f0e442', null];
// Curves that lie on one another show through the gaps of those above.
const DASHES = [[], [9, 5], [4, 4], [12, 4, 3, 4], [2, 4]];
// A shape a resource: Chart.js's name and rotation, and the same as an SVG path in a box of 12.
const SHAPES = [
  ['circle', 0, 'M6 1.5A4.5 4.5 0 1 1 6 10.5A4.5 4.5 0 1 1 6 1.5Z'], ['rect', 0, 'M2 2H10V10H2Z'], ['triangle', 0, 'M6 1.5L10.5 10H1.5Z'],
  ['rectRot', 0, 'M6 .8L11.2 6L6 11.2L.8 6Z'], ['triangle', 180, 'M6 10.5L10.5 2H1.5Z'], ['triangle', 90, 'M10.5 6L2 10.5V1.5Z'],
  ['triangle', 270, 'M1.5 6L10 10.5V1.5Z'], ['crossRot', 0, 'M2 2L10 10M10 2L2 10'], ['cross', 0, 'M6 1V11M1 6H11'],
  ['star', 0, 'M6 1V11M1 6H11M2.5 2.5L9.5 9.5M9.5 2.5L2.5 9.5']];
const MAX_ROWS = 2000, MAX_CHARTS = 80;

// ---- points

const sizes = data.axes.map(axis => axis.values.length);
function placeOf(number) {
  const place = [];
  for (let axis = sizes.length - 1; axis >= 0; --axis) {
    place[axis] = number % sizes[axis];
    number = Math.floor(number / sizes[axis]);
  }
  return place;
}
const numberOf = place => place.reduce((number, value, axis) => number * sizes[axis] + value, 0);
const points = data.points.map(([status, reason, measures, bottleneck], number) => ({
  number, place: placeOf(number), status, reason, measures: measures || data.measures.map(() => null),
  bottleneck: bottleneck ? {resource: bottleneck[0], occupancy: bottleneck[1], saturated: bottleneck[2], text: bottleneck[3]} : null}));
const labelOf = (axis, value) => data.axes[axis].values[value].label;
const withUnit = (name, unit) => unit ? `${name} (${unit})` : name;
const formatter = new Intl.NumberFormat('en-US', {maximumSignificantDigits: 5});
const format = value => value === null ? '–' : formatter.format(value);
const percent = share => `${(100 * share).toFixed(share >= 0.1 ? 0 : 1)} %`;

// One shape for a resource on the whole page.
const resources = [...new Set(points.filter(p => p.bottleneck).map(p => p.bottleneck.resource))].sort();
const shapeOf = resource => SHAPES[Math.min(resources.indexOf(resource), SHAPES.length - 1)];

// ---- elements

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.filter(child => child !== null));
  return made;
}
function svg(box, name, line) {
  const space = 'http://www.w3.org/2000/svg';
  const image = document.createElementNS(space, 'svg'), path = document.createElementNS(space, 'path');
  for (const [key, value] of [['viewBox', box], ['class', name], ['aria-hidden', 'true']]) image.setAttribute(key, value);
  path.setAttribute('d', line);
  image.append(path);
  return image;
}
const shapeIcon = (resource, hollow = false) => svg('0 0 12 12', hollow ? 'shape hollow' : 'shape', shapeOf(resource)[2]);

// ---- what was swept

function writeHeader() {
  const header = document.getElementById('header');
  if (data.description) header.append(element('p', {}, data.description));
  const list = element('dl');
  const add = (term, ...text) => list.append(element('dt', {}, term), element('dd', {}, ...text));
  const codes = texts => texts.flatMap((text, i) => i ? [', ', element('code', {}, text)] : [element('code', {}, text)]);
  data.axes.forEach(axis => {
    const labels = axis.values.map(value => value.label);
    const shown = labels.length > 24 ? [...labels.slice(0, 12), '…', ...labels.slice(-3)] : labels;
    add(axis.name, shown.join(', ') + (labels.length > 24 ? ` (${labels.length} values)` : ''));
  });
  data.measures.forEach(measure => add(withUnit(measure.name, measure.unit), element('code', {}, measure.text)));
  add('Platform', element('code', {}, data.platform));
  if (data.scenario) add('Scenario', element('code', {}, data.scenario));
  if (data.set.length) add('Fixed settings', ...codes(data.set));
  const run = Object.entries(data.run).filter(([key]) => key !== 'seed' && key !== 'fidelity')
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  if (run.length) add('Run options', ...codes(run));
  add('Seed', data.seed);
  add('Fidelity', data.fidelity + (data.fidelity === 'functional' ? ': no time is measured' : ''));
  add('dpusim', data.dpusim);
  const count = status => points.filter(point => point.status === status).length;
  const failed = count('failed'), idle = count('not run');
  add('Points', `${points.length}: ${count('done')} done`, failed ? element('span', {class: 'bad'}, `, ${failed} failed`) : null,
    idle ? `, ${idle} not run` : null);
  header.append(list);
  document.getElementById('made').append(`Made by dpusim ${data.dpusim}.`);
}

// ---- charts

const drawn = [];  // {canvas, legend, spec, build, chart}
let printing = false;
const isDark = () => !printing && matchMedia('(prefers-color-scheme: dark)').matches;
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
function colourOf(index) {
  const list = isDark() ? DARK_COLOURS : COLOURS;
  return list[index % list.length] || css('--text');
}

function product(axes) {
  return axes.reduce((all, axis) => all.flatMap(one => data.axes[axis].values.map((_, value) => [...one, value])), [[]]);
}

function xKind(spec) {
  const numbers = data.axes[spec.x].values.map(value => value.number);
  if (spec.xScale === 'category' || numbers.some(number => number === null)) return 'category';
  if (spec.xScale !== 'auto') return spec.xScale;
  const least = Math.min(...numbers), most = Math.max(...numbers);
  return numbers.length > 2 && least > 0 && most / least >= 16 ? 'log' : 'linear';
}

// Points of one panel by curve: a curve for each measure and value of the series axis.
function curvesOf(spec, panel) {
  const curves = [];
  const series = spec.series === null ? [null] : data.axes[spec.series].values.map((_, value) => value);
  series.forEach((value, seriesIndex) => spec.y.forEach((measure, measureIndex) => {
    const place = sizes.map(() => 0);
    spec.panels.forEach((axis, i) => place[axis] = panel[i]);
    if (value !== null) place[spec.series] = value;
    const names = [];
    if (spec.y.length > 1 || value === null) names.push(data.measures[measure].name);
    if (value !== null) names.push(labelOf(spec.series, value));
    const own = data.axes[spec.x].values.map((_, x) => {
      place[spec.x] = x;
      return points[numberOf(place)];
    });
    if (own.every(point => point.measures[measure] === null)) return;
    curves.push({name: names.join(', '), measure, points: own, colour: spec.series === null ? measureIndex : seriesIndex,
      measureIndex, dash: spec.series === null || spec.y.length > 1 ? measureIndex : series.length - 1 - seriesIndex});
  }));
  return curves;
}

// Marks each bar with the shape of its bottleneck, as curves have it on their points.
const barMarks = {
  id: 'barMarks',
  afterDatasetsDraw(chart) {
    if (chart.config.type !== 'bar') return;
    chart.data.datasets.forEach((dataset, index) => {
      if (!chart.isDatasetVisible(index)) return;
      chart.getDatasetMeta(index).data.forEach((bar, i) => {
        const {bottleneck, measures} = dataset.points[i];
        if (!bottleneck || measures[dataset.measure] === null) return;
        const [pointStyle, rotation] = shapeOf(bottleneck.resource);
        const {ctx} = chart;
        ctx.save();
        ctx.strokeStyle = css('--text');
        ctx.fillStyle = bottleneck.saturated ? css('--text') : css('--panel');
        Chart.helpers.drawPoint(ctx, {pointStyle, rotation, radius: 5, borderWidth: 1.5}, bar.x, bar.y - 10);
        ctx.restore();
      });
    });
  }};

// Ticks stand at the swept values, as many as have room.
function placeTicks(scale, values, text) {
  const {ctx, width} = scale.chart;
  const log = scale.type === 'logarithmic';
  const at = log ? Math.log : (x => x);
  const sorted = values.filter(value => value !== null).sort((a, b) => a - b);
  const from = at(sorted[0]), span = at(sorted[sorted.length - 1]) - from || 1;
  const room = width - 110;
  let next = -Infinity;
  scale.ticks = [];
  ctx.save();
  ctx.font = Chart.helpers.toFont(Chart.defaults.font).string;
  for (const value of sorted) {
    const middle = (at(value) - from) / span * room, half = ctx.measureText(text(value)).width / 2 + 5;
    if (middle - half < next) continue;
    scale.ticks.push({value});
    next = middle + half;
  }
  ctx.restore();
}

function xScaleOf(spec, kind, text) {
  const axis = data.axes[spec.x];
  const title = {display: true, text: kind === 'category' ? axis.name : withUnit(axis.name, axis.unit), color: css('--text')};
  const grid = {color: css('--grid')}, ticks = {color: css('--text'), autoSkip: kind === 'category', maxRotation: 50};
  if (kind === 'category') return {type: 'category', labels: axis.values.map(value => value.label), offset: true, title, grid, ticks};
  const numbers = axis.values.map(value => value.number);
  const least = Math.min(...numbers), most = Math.max(...numbers);
  const pad = least === most ? Math.abs(least) / 2 || 1 : 0;
  return {type: kind === 'log' ? 'logarithmic' : 'linear', min: least - (kind === 'log' ? pad / 2 : pad), max: most + pad, title, grid,
    ticks: {...ticks, callback: text}, afterBuildTicks: scale => placeTicks(scale, numbers, text)};
}

function configure(spec, curves, least, most) {
  const kind = xKind(spec), axis = data.axes[spec.x], bars = kind === 'category';
  const textByNumber = new Map(axis.values.map(value => [value.number, value]));
  // A label that is only the number with its unit is shown as the number, since the axis names the unit.
  const text = number => {
    const value = textByNumber.get(number);
    return !value ? '' : /^[-+0-9.]/.test(value.label) ? format(number) : value.label;
  };
  const datasets = curves.map(curve => {
    const colour = colourOf(curve.colour);
    const mark = (point, otherwise, use) => point.bottleneck ? use(point.bottleneck) : otherwise;
    const common = {label: curve.name, points: curve.points, measure: curve.measure, borderColor: colour};
    const values = curve.points.map(point => {
      const value = point.measures[curve.measure];
      return spec.log && value !== null && value <= 0 ? null : value;
    });
    if (bars) return {...common, data: values, backgroundColor: colour + (curve.measureIndex && spec.series !== null ? '88' : ''), borderWidth: 1, maxBarThickness: 60};
    return {...common, clip: false, borderWidth: 2, borderDash: DASHES[curve.dash % DASHES.length],
      data: values.map((y, i) => ({x: axis.values[i].number, y})),
      pointStyle: curve.points.map(point => mark(point, 'circle', b => shapeOf(b.resource)[0])),
      pointRotation: curve.points.map(point => mark(point, 0, b => shapeOf(b.resource)[1])),
      pointBackgroundColor: curve.points.map(point => mark(point, colour, b => b.saturated ? colour : css('--panel'))),
      pointBorderWidth: 1.8, pointRadius: curve.points.map(point => mark(point, 2.5, () => 5)), pointHoverRadius: 7, pointHitRadius: 8};
  });
  const unit = data.measures[spec.y[0]].unit;
  const yTitle = spec.y.length === 1 ? withUnit(data.measures[spec.y[0]].name, unit) : unit || 'value';
  return {
    type: bars ? 'bar' : 'line',
    data: {datasets},
    plugins: [barMarks],
    options: {
      animation: false, responsive: true, maintainAspectRatio: false, layout: {padding: {top: bars ? 18 : 10, right: 14}},
      interaction: {mode: 'nearest', intersect: true},
      scales: {
        x: xScaleOf(spec, kind, text),
        y: {type: spec.log ? 'logarithmic' : 'linear', beginAtZero: !spec.log, suggestedMax: most, suggestedMin: spec.log ? least : undefined,
          grace: bars && !spec.log ? '8%' : 0, grid: {color: css('--grid')},
          title: {display: true, text: yTitle, color: css('--text')}, ticks: {color: css('--text'), maxTicksLimit: 8}}},
      plugins: {
        legend: {display: false},
        tooltip: {callbacks: {
          title: items => items.flatMap(item => {
            const point = item.dataset.points[item.dataIndex];
            return point.place.map((value, at) => `${data.axes[at].name}: ${labelOf(at, value)}`);
          }),
          label: item => {
            const measure = data.measures[item.dataset.measure];
            return ` ${measure.name}: ${format(item.dataset.points[item.dataIndex].measures[item.dataset.measure])} ${measure.unit}`;
          },
          afterBody: items => items.map(item => {
            const {bottleneck} = item.dataset.points[item.dataIndex];
            return bottleneck ? `Bottleneck: ${bottleneck.resource}, ${percent(bottleneck.occupancy)} busy${bottleneck.saturated ? '' : ' (not saturated)'}`
              : 'No bottleneck was found';
          })}}}}};
}

// A click on a curve's name hides the curve.
function writeLegend(legend, spec, chart) {
  const {datasets} = chart.data;
  if (datasets.length < 2) return;
  const items = datasets.map((dataset, index) => {
    const line = svg('0 0 26 12', 'line', 'M1 6H25');
    line.firstChild.style.stroke = dataset.borderColor;
    line.firstChild.style.strokeWidth = chart.config.type === 'bar' ? 10 : 2.5;
    line.firstChild.style.strokeOpacity = dataset.backgroundColor && dataset.backgroundColor.length > 7 ? 0.5 : 1;
    line.firstChild.style.strokeDasharray = (dataset.borderDash || []).join(' ');
    const button = element('button', {type: 'button', 'aria-pressed': 'true', title: 'Show or hide'}, line, dataset.label);
    button.addEventListener('click', () => {
      const shown = !chart.isDatasetVisible(index);
      chart.setDatasetVisibility(index, shown);
      chart.update();
      button.setAttribute('aria-pressed', shown);
    });
    return button;
  });
  legend.replaceChildren(...(spec.series === null ? [] : [element('span', {}, `${data.axes[spec.series].name}:`)]), ...items);
}

function shapeLegend(curves) {
  const seen = new Map();
  curves.forEach(curve => curve.points.forEach(({bottleneck, measures}) => {
    if (!bottleneck || measures[curve.measure] === null) return;
    const kinds = seen.get(bottleneck.resource) || new Set();
    seen.set(bottleneck.resource, kinds.add(bottleneck.saturated));
  }));
  if (!seen.size) return null;
  const caption = element('figcaption', {}, element('span', {}, 'Bottleneck:'));
  for (const resource of [...seen.keys()].sort()) caption.append(element('span', {}, shapeIcon(resource, !seen.get(resource).has(true)), resource));
  if ([...seen.values()].some(kinds => kinds.has(false))) caption.append(element('span', {}, '(hollow: the busiest resource, not saturated)'));
  return caption;
}

function writeCharts() {
  const section = document.getElementById('charts');
  let count = 0, left = 0;
  for (const spec of data.charts) {
    const panels = product(spec.panels).map(panel => ({panel, curves: curvesOf(spec, panel)}));
    const values = panels.flatMap(({curves}) => curves.flatMap(curve => curve.points.map(point => point.measures[curve.measure] || 0)));
    // Panels of a chart have one scale.
    const most = values.reduce((a, b) => Math.max(a, b), 0);
    const least = values.reduce((a, b) => b > 0 ? Math.min(a, b) : a, most);
    section.append(element('h2', {}, spec.title));
    const grid = element('div', {class: panels.length === 1 ? 'panels alone' : 'panels'});
    section.append(grid);
    for (const {panel, curves} of panels) {
      if (++count > MAX_CHARTS) {
        ++left;
        continue;
      }
      const title = panel.map((value, i) => `${data.axes[spec.panels[i]].name}: ${labelOf(spec.panels[i], value)}`).join(', ');
      const canvas = element('canvas', {role: 'img', 'aria-label': title ? `${spec.title}, ${title}` : spec.title});
      const figure = element('figure', {}, title ? element('h3', {}, title) : null);
      const legend = element('div', {class: 'legend'});
      figure.append(...(curves.length ? [legend, element('div', {class: 'canvas'}, canvas)] : [element('p', {class: 'quiet'}, 'No point here has a value.')]));
      const caption = shapeLegend(curves);
      if (caption) figure.append(caption);
      grid.append(figure);
      if (curves.length) drawn.push({canvas, legend, spec, build: () => configure(spec, curves, least, most), chart: null});
    }
  }
  if (left) section.append(element('p', {class: 'quiet'}, `${left} more panels are not drawn; the table has their points.`));
}

function draw() {
  document.documentElement.classList.toggle('light', printing);
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  Chart.defaults.font.size = 13;
  for (const one of drawn) {
    if (one.chart) one.chart.destroy();
    one.chart = new Chart(one.canvas, one.build());
    writeLegend(one.legend, one.spec, one.chart);
  }
}

// ---- tables

function writeFailures() {
  const failed = points.filter(point => point.status === 'failed');
  if (!failed.length) return;
  const section = document.getElementById('failures');
  section.append(element('h2', {class: 'bad'}, failed.length === 1 ? '1 point failed' : `${failed.length} points failed`));
  const list = element('ul');
  for (const point of failed.slice(0, 200)) {
    const where = point.place.map((value, axis) => `${data.axes[axis].name} ${labelOf(axis, value)}`).join(', ');
    list.append(element('li', {}, `Point ${point.number + 1} (${where}): `, element('code', {}, point.reason)));
  }
  section.append(list);
  if (failed.length > 200) section.append(element('p', {class: 'quiet'}, `${failed.length - 200} more: see the table.`));
}

const columns = [
  {name: 'Point', number: true, key: point => point.number, cell: point => [String(point.number + 1)]},
  ...data.axes.map((axis, at) => ({name: axis.name, number: axis.values.every(value => value.number !== null), key: point => point.place[at],
    cell: point => [labelOf(at, point.place[at])]})),
  ...data.measures.map((measure, at) => ({name: withUnit(measure.name, measure.unit), number: true, key: point => point.measures[at],
    cell: point => [format(point.measures[at])]})),
  {name: 'Bottleneck', key: point => point.bottleneck && point.bottleneck.resource, title: point => point.bottleneck && point.bottleneck.text,
    cell: ({bottleneck}) => bottleneck ? [shapeIcon(bottleneck.resource, !bottleneck.saturated), bottleneck.resource] : []},
  {name: 'Busy', number: true, key: point => point.bottleneck && point.bottleneck.occupancy,
    cell: ({bottleneck}) => bottleneck ? [percent(bottleneck.occupancy)] : ['–']},
  {name: 'Status', key: point => point.status, title: point => point.reason,
    cell: point => point.status === 'done' ? ['done'] : [element('span', {class: 'bad'}, point.status)]}];

function writeTable() {
  const section = document.getElementById('points');
  section.append(element('h2', {}, 'All points'));
  const body = element('tbody');
  const heads = columns.map((column, at) => {
    const button = element('button', {type: 'button', title: 'Sort by this column'}, column.name);
    const head = element('th', {scope: 'col', class: column.number ? 'number' : ''}, button);
    button.addEventListener('click', () => sort(at));
    return head;
  });
  let order = {at: 0, down: false};
  const fill = () => {
    const {key} = columns[order.at], sign = order.down ? -1 : 1;
    const compare = (a, b) => typeof a === 'string' ? (a < b ? -1 : a > b ? 1 : 0) : a - b;
    const sorted = [...points].sort((a, b) => {
      const left = key(a), right = key(b);
      if (left === null || right === null) return (left === null) - (right === null) || a.number - b.number;
      return sign * compare(left, right) || a.number - b.number;
    });
    body.replaceChildren(...sorted.slice(0, MAX_ROWS).map(point => element('tr', {}, ...columns.map(column => {
      const cell = element('td', {class: column.number ? 'number' : 'text'}, ...column.cell(point));
      const title = column.title && column.title(point);
      if (title) cell.title = title;
      return cell;
    }))));
    heads.forEach((head, at) => {
      if (at === order.at) head.setAttribute('aria-sort', order.down ? 'descending' : 'ascending');
      else head.removeAttribute('aria-sort');
    });
  };
  const sort = at => {
    order = {at, down: order.at === at && !order.down};
    fill();
  };
  fill();
  section.append(element('div', {class: 'scroll'}, element('table', {}, element('thead', {}, element('tr', {}, ...heads)), body)));
  if (points.length > MAX_ROWS)
    section.append(element('p', {class: 'quiet'}, `The first ${MAX_ROWS} of ${points.length} points in this order; results.csv has all.`));
}

writeHeader();
writeCharts();
writeFailures();
writeTable();
draw();
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
addEventListener('beforeprint', () => { printing = true; draw(); });
addEventListener('afterprint', () => { printing = false; draw(); });
})();
