/* Draws the visible part of a graph. What would fall on the same pixel is drawn once, so that
 * the time to draw does not depend on the number of calls. */

const HEAD = 34;     /* pixels above the first row, for the names of the ranks */
const RAIL = 14;     /* pixels at the right, for the overview */
const BRACKET = 9;   /* pixels from the left: the brackets of blocks */
const LABELS = 15;   /* pixels; rows must be this high for labels to be shown */

class Painter {
	constructor(view) {
		this.view = view;
		this.colours = colours();
	}

	paint() {
		const { view } = this, { canvas } = view;
		const ratio = window.devicePixelRatio || 1;
		const width = Math.round(view.width * ratio), height = Math.round(view.height * ratio);

		if (canvas.width !== width || canvas.height !== height) {
			canvas.width = width;
			canvas.height = height;
		}
		this.ink = canvas.getContext("2d");
		this.ink.setTransform(ratio, 0, 0, ratio, 0, 0);
		this.ink.fillStyle = this.colours.card;
		this.ink.fillRect(0, 0, view.width, view.height);
		this.top = view.rowAt(HEAD) - 1;
		this.bottom = view.rowAt(view.height) + 1;
		this.drawn = 0;
		this.lanes();
		this.ink.save();
		this.ink.beginPath();
		this.ink.rect(0, HEAD, view.width - RAIL, view.height - HEAD);
		this.ink.clip();
		this.lit();
		this.bars();
		this.collectives();
		this.messages();
		this.marks();
		this.blocks();
		this.alternatives();
		this.labels();
		this.offers();
		this.selection();
		this.ink.restore();
		this.heads();
		this.rail();
	}

	/* The visible columns, as [track, x of its line]. */
	*columns() {
		const { view } = this;

		for (let column = 0; column < view.columns.length; column++) {
			const x = view.columnX(column);

			if (x > -view.columnWidth && x < view.width + view.columnWidth)
				yield [view.columns[column], x];
		}
	}

	lanes() {
		const { ink, view } = this;

		for (const { left, right } of view.threadHeads())
			this.shade(left, HEAD, right - left, view.height);
		ink.fillStyle = this.colours.lane;
		for (const [, x] of this.columns())
			ink.fillRect(Math.round(x) - 1, HEAD, 2, view.height);
	}

	/* The ground of a rank with several threads. */
	shade(x, y, wide, high) {
		const { ink } = this;

		ink.globalAlpha = 0.5;
		ink.fillStyle = this.colours.code;
		ink.fillRect(x, y, wide, high);
		ink.globalAlpha = 1;
	}

	/* Where in graph.order the first call of the track is that ends at or below the row. */
	firstVisible(track, row) {
		const { graph } = this.view;
		let low = graph.tracks[track].begin, high = graph.tracks[track].end;

		while (low < high) {
			const middle = (low + high) >> 1;

			if (graph.end[graph.order[middle]] < row)
				low = middle + 1;
			else
				high = middle;
		}
		return low;
	}

	/* The calls of the track from that one on. */
	*callsFrom(track, row) {
		const { graph } = this.view;

		for (let slot = this.firstVisible(track, row); slot < graph.tracks[track].end; slot++)
			yield graph.order[slot];
	}

	/* Calls what(node, x) for all shown calls in sight, at most once for each pixel, except
	 * folded ones. */
	eachCall(what) {
		const { view } = this, { graph } = view;

		for (const [track, x] of this.columns()) {
			let pixel = -1;

			for (let slot = this.firstVisible(track, this.top); slot < graph.tracks[track].end; slot++) {
				const node = graph.order[slot];

				if (graph.start[node] > this.bottom)
					break;
				const hidden = view.folding.segmentOf(graph.start[node]), end = hidden.row + hidden.rows;

				if (hidden.block && graph.end[node] < end) {
					slot = Math.max(slot, this.firstVisible(track, end) - 1);
					continue;
				}
				const y = Math.round(view.rowY(graph.end[node]));

				if (!view.shows(node) || (y === pixel && !graph.choices.has(node)))
					continue;
				pixel = y;
				what(node, x);
			}
		}
	}

	/* How long a thread stayed in each call. */
	bars() {
		const { ink, view } = this, { graph } = view;
		const wide = Math.min(6, Math.max(2, view.rowHeight / 4));

		this.eachCall((node, x) => {
			if (graph.start[node] === graph.end[node])
				return;
			const from = view.rowY(graph.start[node]), to = view.rowY(graph.end[node]);
			const open = graph.open(node);

			ink.globalAlpha = open ? 0.55 : 0.3;
			ink.fillStyle = open ? this.openColour(node) : this.colour(node);
			ink.fillRect(x - wide / 2, Math.max(from, HEAD - 4), wide,
				Math.min(to, view.height + 4) - Math.max(from, HEAD - 4));
		});
		ink.globalAlpha = 1;
	}

	colour(node) {
		const kind = this.view.graph.call(node).kind;

		if (kind === SEND)
			return this.colours.send;
		if (kind === COLLECTIVE)
			return this.colours.collective;
		return kind === 0 ? this.colours.other : this.colours.receive;
	}

	/* The row at which a call's completion is drawn: that of the call that learns of it. */
	done(node) {
		const { graph } = this.view, learnt = graph.completed[node];

		return learnt >= 0 ? graph.end[learnt] : graph.end[node];
	}

	/* One vertex across the members: a band, or a line if they left at different times. */
	collectives() {
		const { ink, view } = this, { graph } = view;
		const thick = Math.min(9, Math.max(1.5, view.rowHeight / 2.6));
		let pixel = -1;

		ink.lineCap = "round";
		ink.strokeStyle = this.colours.collective;
		for (let k = 1; k <= graph.collectives; k++) {
			const begin = graph.membersBegin[k], end = graph.membersBegin[k + 1];

			if (end - begin < 2)
				continue;
			const row = this.done(graph.members[begin]), other = this.done(graph.members[end - 1]);

			if (Math.max(row, other) < this.top || Math.min(row, other) > this.bottom
				|| this.folded(row, other))
				continue;
			const y = Math.round(view.rowY(row));

			if (y === pixel && view.rowHeight < 2)
				continue;
			pixel = y;
			this.band(begin, end, thick);
		}
		ink.globalAlpha = 1;
		ink.lineCap = "butt";
		ink.setLineDash([]);
	}

	/* Whether both rows are hidden in the same block. */
	folded(row, other) {
		const { folding } = this.view, segment = folding.segmentOf(row);

		return segment.block !== null && segment === folding.segmentOf(other);
	}

	/* A thick line from each member to the next. It is thin where it passes other tracks, and
	 * dashed if not all members are known to have met. */
	band(begin, end, thick) {
		const { ink, view } = this, { graph } = view;
		let last = -1, complete = true;

		for (let i = begin; i < end; i++)
			complete = complete && graph.completed[graph.members[i]] >= 0;
		ink.setLineDash(complete ? [] : [4, 5]);
		for (let i = begin; i < end; i++) {
			const node = graph.members[i];

			if (!view.shows(node))
				continue;
			if (last >= 0) {
				const near = complete && view.columnOf[graph.track[node]]
					- view.columnOf[graph.track[last]] === 1;

				ink.globalAlpha = near ? 0.32 : 0.55;
				ink.lineWidth = near ? thick : Math.min(thick, 1.5);
				ink.beginPath();
				ink.moveTo(view.nodeX(last), view.rowY(this.done(last)));
				ink.lineTo(view.nodeX(node), view.rowY(this.done(node)));
				ink.stroke();
				this.drawn++;
			}
			last = node;
		}
	}

	messages() {
		const { ink, view } = this, { graph } = view;
		const seen = view.rowHeight < 4 ? new Int32Array(1 << 12).fill(-1) : null;
		const many = view.rowHeight < 6, coarse = view.rowHeight < 0.5 ? 6 : 1;

		let batch = 0;

		ink.strokeStyle = this.colours.soft;
		ink.lineWidth = many ? 0.7 : 1.2;
		ink.globalAlpha = many ? 0.6 : 0.85;
		ink.beginPath();
		for (let i = 0; i < graph.from.length; i++) {
			const from = graph.from[i], to = graph.to[i];
			const y = graph.start[from], end = this.done(to);

			if (Math.max(y, end) < this.top || Math.min(y, end) > this.bottom)
				continue;
			if (!view.shows(from) || !view.shows(to) || this.folded(y, end))
				continue;
			const choice = graph.choices.get(to);

			if (choice && choice.blamed)
				continue; /* drawn later, on top of the others */
			if (seen) {
				const slot = (graph.track[from] * 61 + graph.track[to]) & 4095;
				const pixel = Math.round(view.rowY(end) / coarse);

				if (seen[slot] === pixel)
					continue;
				seen[slot] = pixel;
			}
			this.arrow(from, y, to, end, !many);
			if (++batch % 400 === 0) { /* long paths are slow to draw */
				ink.stroke();
				ink.beginPath();
			}
		}
		ink.stroke();
		ink.globalAlpha = 1;
	}

	/* Adds an arrow between two calls to the path. */
	arrow(from, fromRow, to, toRow, head) {
		const { ink, view } = this, { graph } = view;
		const x1 = view.nodeX(from), x2 = view.nodeX(to);
		const y1 = view.rowY(fromRow), y2 = view.rowY(toRow);
		const length = Math.hypot(x2 - x1, y2 - y1), gap = Math.min(7, length / 4);

		this.drawn++;
		if (graph.track[from] === graph.track[to]) {
			/* ends on the left: labels are on the right */
			ink.moveTo(x1 - 5, y1);
			ink.bezierCurveTo(x1 - 26, y1, x2 - 26, y2, x2 - 7, y2);
			return;
		}
		const ux = (x2 - x1) / length, uy = (y2 - y1) / length;
		const ex = x2 - ux * gap, ey = y2 - uy * gap;

		ink.moveTo(x1 + ux * gap, y1 + uy * gap);
		ink.lineTo(ex, ey);
		if (head) {
			ink.moveTo(ex - ux * 7 - uy * 3.6, ey - uy * 7 + ux * 3.6);
			ink.lineTo(ex, ey);
			ink.lineTo(ex - ux * 7 + uy * 3.6, ey - uy * 7 - ux * 3.6);
		}
	}

	marks() {
		const { ink, view } = this, { graph } = view;
		const size = Math.min(5, Math.max(0.8, view.rowHeight / 4));

		this.eachCall((node, x) => {
			if (view.folding.hides(view.markRow(node)))
				return;
			this.drawn++;
			drawCall(ink, this.colours, graph.call(node), x, view.markY(node), size, this.colour(node));
		});
		for (const node of graph.faults.keys()) {
			if (view.shows(node))
				drawFault(ink, this.colours, view.nodeX(node), view.markY(node));
		}
	}

	labels() {
		const { ink, view } = this;

		if (view.rowHeight < LABELS || view.columnWidth < 90)
			return;
		ink.textBaseline = "middle";
		ink.font = `12px ${this.colours.text}`;
		this.eachCall((node, x) => {
			if (!view.folding.hides(view.markRow(node)))
				this.words(node, x, view.markY(node));
		});
	}

	/* A bracket around each block. A folded block also has a line with the number of
	 * repetitions. */
	blocks() {
		const { ink, view } = this, { folding } = view;

		ink.font = `600 12px ${this.colours.text}`;
		ink.textBaseline = "middle";
		for (const block of folding.blocks) {
			const last = block.row + block.once * (block.open ? block.times : 1) - 1;
			const x = BRACKET + 4 * Math.min(block.depth, 2);

			if (block.row > this.bottom || block.row + block.once * block.times < this.top)
				continue;
			const from = view.rowY(block.row) - view.rowHeight * 0.4;
			const to = view.rowY(last) + view.rowHeight * 0.4;

			ink.strokeStyle = this.colours.focus;
			ink.lineWidth = 1.5;
			ink.beginPath();
			ink.moveTo(x + 5, from);
			ink.lineTo(x, from);
			ink.lineTo(x, to);
			ink.lineTo(x + 5, to);
			ink.stroke();
			if (!block.open)
				this.foldedLine(block, view.rowY(last + 1));
		}
	}

	foldedLine(block, y) {
		const { ink, view } = this, high = Math.max(3, Math.min(20, view.rowHeight * 0.8));

		ink.fillStyle = this.colours.lane;
		ink.fillRect(0, y - high / 2, view.width - RAIL, high);
		this.drawn++;
		if (view.rowHeight < LABELS)
			return;
		ink.fillStyle = this.colours.ink;
		ink.fillText(foldedText(view.graph, block), BRACKET + 5, y, view.width - RAIL - BRACKET - 10);
	}

	/* The colour of a call that never returned: red only if that is what is wrong. */
	openColour(node) {
		return this.view.graph.faults.has(node) ? this.colours.bad : this.colours.open;
	}

	words(node, x, y) {
		const { ink, view } = this, { graph } = view;
		const room = view.columnWidth - 34, left = x + 19, open = graph.open(node);
		const text = label(graph, node) + (open ? "  waits" : "");
		const shaded = graph.threaded(graph.rank[node]);
		const used = this.fit(text, left, y, room,
			open || graph.faults.has(node) ? this.openColour(node) : this.colours.ink, shaded);

		if (used > 0 && room - used > 60 && graph.call(node).kind !== COLLECTIVE)
			this.fit(graph.place(node).text, left + used + 8, y, room - used - 8, this.colours.faint, shaded);
	}

	/* Writes as much text as fits. Returns its width; 0: the text was cut. */
	fit(text, x, y, room, colour, shaded) {
		const { ink } = this;
		let width = ink.measureText(text).width, shown = text;

		if (width > room) {
			shown = text.slice(0, Math.max(0, Math.floor(text.length * room / width) - 1)) + "…";
			width = 0;
		}
		ink.globalAlpha = 0.86;
		ink.fillStyle = this.colours.card;
		ink.fillRect(x - 3, y - 8, (width || room) + 6, 16);
		ink.globalAlpha = 1;
		if (shaded)
			this.shade(x - 3, y - 8, (width || room) + 6, 16);
		ink.fillStyle = colour;
		ink.fillText(shown, x, y);
		return width;
	}

	/* The choice to blame: what it took, and what it could have taken. */
	alternatives() {
		const { ink, view } = this, { graph } = view;
		const node = view.graph.blamed >= 0 ? view.graph.blamed : view.marked;

		if (node < 0 || !view.shows(node))
			return;
		const choice = graph.choices.get(node), x = view.nodeX(node);
		const colour = graph.blamed >= 0 ? this.colours.bad : this.colours.good;
		const y = view.rowY(this.done(node)), draw = (option, dash, stroke) => {
			const poll = node + option.ahead; /* the call that takes it */

			if (option.node < 0 || poll >= graph.first[graph.rank[node] + 1] || !view.shows(option.node))
				return;
			ink.strokeStyle = stroke;
			ink.setLineDash(dash);
			ink.beginPath();
			this.arrow(option.node, graph.start[option.node], poll, this.done(poll), true);
			ink.stroke();
		};

		ink.lineWidth = 2;
		if (choice) {
			for (const other of choice.others)
				draw(other, [5, 4], graph.blamed >= 0 ? this.colours.good : this.colours.faint);
			draw(choice.taken, [], colour);
		}
		ink.setLineDash([]);
		ink.strokeStyle = colour;
		ink.beginPath();
		ink.arc(x, y, Math.max(6, Math.min(10, view.rowHeight / 2.2)), 0, 7);
		ink.stroke();
	}

	/* The alternatives of an open choice: dashed, with their numbers. They can be clicked. */
	offers() {
		const { ink, view } = this;

		ink.font = `600 11px ${this.colours.text}`;
		ink.textBaseline = "middle";
		ink.textAlign = "center";
		for (const offer of view.graph.offers) {
			if (!view.shows(offer.from) || !view.shows(offer.to))
				continue;
			const points = view.edge(offer), [x, y] = points[EDGE_PARTS / 2], [xEnd, yEnd] = points[EDGE_PARTS];
			const [xLast, yLast] = points[EDGE_PARTS - 2], long = Math.hypot(xEnd - xLast, yEnd - yLast) || 1;
			const ux = (xEnd - xLast) / long, uy = (yEnd - yLast) / long;

			this.drawn++;
			ink.strokeStyle = ink.fillStyle = this.colours.focus;
			ink.lineWidth = offer === view.offered ? 3.5 : 2;
			ink.setLineDash([6, 4]);
			ink.beginPath();
			for (const [px, py] of points.slice(0, -1))
				ink.lineTo(px, py);
			ink.stroke();
			ink.beginPath();
			ink.moveTo(xEnd - ux * 6, yEnd - uy * 6);
			ink.lineTo(xEnd - ux * 15 - uy * 5, yEnd - uy * 15 + ux * 5);
			ink.lineTo(xEnd - ux * 15 + uy * 5, yEnd - uy * 15 - ux * 5);
			ink.fill();
			ink.setLineDash([]);
			ink.beginPath();
			ink.arc(x, y, 9, 0, 7);
			ink.fill();
			ink.fillStyle = this.colours.card;
			ink.fillText(`${offer.number}`, x, y);
		}
		ink.textAlign = "start";
	}

	/* Highlighted calls. */
	lit() {
		const { ink, view } = this;

		if (view.litShapes === null && view.graph.lit.size === 0)
			return;
		ink.fillStyle = this.colours.mark;
		this.eachCall((node, x) => {
			if (!view.isLit(node))
				return;
			ink.beginPath();
			ink.arc(x, view.markY(node), Math.max(3, Math.min(11, view.rowHeight / 2)), 0, 7);
			ink.fill();
		});
	}

	selection() {
		const { ink, view } = this, { graph } = view;
		const node = view.told();

		if (node < 0 || !view.shows(node))
			return;
		const x = view.nodeX(node);
		const y = view.markY(node);

		ink.strokeStyle = this.colours.focus;
		ink.lineWidth = 2;
		ink.beginPath();
		ink.roundRect(x - 9, y - 9, 18, 18, 5);
		ink.stroke();
		for (const i of [graph.received[node], graph.sent[node]]) {
			if (i < 0 || !view.shows(graph.from[i]) || !view.shows(graph.to[i]))
				continue;
			ink.beginPath();
			this.arrow(graph.from[i], graph.start[graph.from[i]], graph.to[i],
				this.done(graph.to[i]), true);
			ink.stroke();
		}
	}

	heads() {
		const { ink, view } = this;

		ink.fillStyle = this.colours.card;
		ink.fillRect(0, 0, view.width, HEAD);
		ink.fillStyle = this.colours.line;
		ink.fillRect(0, HEAD - 1, view.width, 1);
		ink.font = `600 12.5px ${this.colours.text}`;
		ink.textBaseline = "middle";
		ink.textAlign = "center";
		let last = -100;

		for (const [track, x] of this.columns()) {
			const { rank } = view.graph.tracks[track], held = view.graph.held.has(rank);
			const name = view.graph.rankName(rank);
			const text = view.columnWidth >= 60 ? `rank ${name}${held ? ", held" : ""}` : `${name}${held ? "!" : ""}`;

			if (view.graph.threaded(rank) || x - last < (view.columnWidth >= 60 ? 50 : 22))
				continue;
			last = x;
			ink.fillStyle = this.headColour(track);
			ink.fillText(text, x, HEAD / 2);
		}
		for (const head of view.threadHeads())
			this.threadHead(head);
		ink.textAlign = "start";
	}

	/* The colour of a track's name: that of a last call that has not returned. */
	headColour(track) {
		const { graph } = this.view, { begin, end } = graph.tracks[track], last = graph.order[end - 1];

		return end > begin && graph.open(last) ? this.openColour(last) : this.colours.ink;
	}

	/* The name of a rank, and below a line the names of its threads. */
	threadHead({ text, x, from, to, threads }) {
		const { ink } = this;

		ink.fillStyle = this.colours.ink;
		ink.font = `600 12.5px ${this.colours.text}`;
		ink.fillText(text, x, 9);
		ink.strokeStyle = this.colours.other;
		ink.lineWidth = 1;
		ink.beginPath();
		ink.moveTo(from, 20.5);
		ink.lineTo(from, 17.5);
		ink.lineTo(to, 17.5);
		ink.lineTo(to, 20.5);
		ink.stroke();
		ink.font = `11px ${this.colours.text}`;
		for (const one of threads) {
			ink.fillStyle = this.headColour(one.track);
			ink.fillText(one.text, one.x, 26);
		}
	}

	/* An overview in a narrow strip: the visible part, and where the choice to blame is. */
	rail() {
		const { ink, view } = this, { graph } = view;
		const x = view.width - RAIL, high = view.height - HEAD;
		const at = (line) => HEAD + Math.min(1, Math.max(0, (line - 0.35) / (view.folding.rows + 1))) * high;
		const from = at(view.lineAt(HEAD)), to = at(view.lineAt(view.height));

		if (to - from >= high - 1)
			return;
		ink.fillStyle = this.colours.card;
		ink.fillRect(x, 0, RAIL, view.height);
		ink.fillStyle = this.colours.lane;
		ink.fillRect(x, HEAD, 1, high);
		ink.beginPath();
		ink.roundRect(x + 4, Math.min(from, view.height - 24), RAIL - 7, Math.max(24, to - from), 3);
		ink.fillStyle = this.colours.other;
		ink.globalAlpha = 0.55;
		ink.fill();
		ink.globalAlpha = 1;
		ink.fillStyle = this.colours.bad;
		for (const node of [graph.blamed, ...graph.faults.keys()]) {
			if (node >= 0)
				ink.fillRect(x + 1, at(view.folding.shownOf(view.markRow(node))) - 1.5, RAIL - 1, 3);
		}
	}
}
