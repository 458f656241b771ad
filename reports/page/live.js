/* A running session. The graph grows as calls arrive; commands are those of the prompt.
 *
 * The messages of the server are described in scheduler/page/page_state.h: some tables and calls
 * are appended, other values are replaced. The graph is then built anew from all data, but not so
 * often that this takes more than a small part of the time. */

const REDRAWN_EVERY = 8;  /* wait this many times as long as building the graph took */
const TEXT_SHOWN = 200000; /* characters of output that are kept */
const AGAIN_MS = 1000;    /* until the next attempt to connect */

class Live {
	constructor(holder) {
		this.holder = holder;
		this.data = { strings: [], places: [], communicators: [], frames: [], shapes: [] };
		this.ranks = 0;
		this.begin();
		this.stop = { state: "nowhere" };
		this.made = this.cost = 0;
		this.build();
		this.connect();
	}

	begin() {
		this.raw = { ranks: this.ranks, rankNames: this.rankNames, matches: [], indices: [], choices: [], waiting: [], faults: [],
			calls: Array.from({ length: this.ranks }, () => [[], [], []]) };
		this.leftOut = 0;
		this.contents = new Map(); /* of calls that were requested, by "rank.call" */
	}

	/* --- elements --- */

	build() {
		const word = (text, title, line) => element("button", { type: "button", title, "data-line": line,
			onclick: () => this.say(line) }, text);

		this.title = element("h1", {}, "matchpoint debug");
		this.where = element("p", { class: "extent", role: "status" });
		this.role = element("p", { class: "warning", hidden: true });
		this.words = element("div", { class: "words", role: "toolbar", "aria-label": "Session" },
			word("Run", "Start the program, or restart it", "run"),
			word("◀ Back", "Go to the previous stop", "back"),
			word("Forward ▶", "Go to the next stop of the history", "forward"),
			word("Continue", "Go on to the next stop", "continue"),
			word("Finish", "Go on to the end", "finish"),
			element("button", { type: "button", "data-line": "interrupt", title: "Stop the ranks where they are",
				onclick: () => this.send("interrupt") }, "Interrupt"));
		this.ofCall = element("div", { class: "words of-call", role: "toolbar", "aria-label": "The selected call" });
		this.offers = element("section", { class: "offers", "aria-label": "Open choices", hidden: true });
		this.graphHolder = element("div", { class: "graph live", "data-graph": "0" });
		this.text = element("pre", { class: "output", role: "log", tabindex: "0", "aria-label": "Prompt" });
		this.line = element("input", { type: "text", size: "60", autocomplete: "off", spellcheck: "false",
			"aria-label": "Command", placeholder: "help" });
		this.question = element("span", { class: "question" });
		this.confirm = element("p", { class: "confirm", role: "alert", hidden: true }, this.question,
			...["y", "n"].map((answer) => element("button", { type: "button", "data-line": answer,
				onclick: () => this.say(answer) }, answer === "y" ? "Yes" : "No")));
		this.form = element("form", { class: "prompt" }, element("label", {}, "(matchpoint) ", this.line));
		this.form.addEventListener("submit", (event) => {
			event.preventDefault();
			this.say(this.line.value);
			this.line.value = "";
		});
		this.line.addEventListener("keydown", (event) => this.recall(event));
		this.said = [];
		this.holder.append(element("header", {}, element("p", { class: "tool" }, "matchpoint debug"), this.title,
			this.where, this.role, this.words), this.graphHolder,
			element("div", { class: "side" }, this.ofCall, this.offers, this.text, this.confirm, this.form));
		this.tellSelected(-1);
	}

	/* --- the connection --- */

	connect() {
		const url = new URL("session", location.href);

		url.protocol = "ws:";
		this.socket = new WebSocket(url, "matchpoint");
		this.socket.onmessage = (event) => this.hear(JSON.parse(event.data));
		this.socket.onclose = () => {
			this.connected = false;
			this.writes = false;
			this.where.textContent = "";
			this.tellRole("The session has ended or cannot be reached.");
			setTimeout(() => this.connect(), AGAIN_MS);
		};
	}

	send(text) {
		if (this.socket.readyState === WebSocket.OPEN)
			this.socket.send(text);
	}

	/* `at`: the element that was clicked for it. A question about it is shown there. */
	say(line, at = null) {
		if (line.trim() === "")
			return;
		this.saidAt = at;
		this.said.push(line);
		this.recalled = this.said.length;
		this.send(`say ${line}`);
	}

	/* Chooses an alternative. The server accepts it only if the session is still at this
	 * stop. */
	choose(number) {
		this.send(`at ${this.stop.number} ${number}`);
	}

	/* The commands for the selected call. They have a place of their own, so that the graph stays
	 * where it is. */
	tellSelected(node) {
		const graph = this.figure?.view.graph;
		const rank = node < 0 ? -1 : graph.rank[node];
		const who = node < 0 ? "" : graph.rankName(rank);
		const name = node < 0 ? "" : `${who}.${graph.number(node)}`;
		const place = node < 0 ? "" : graph.place(node).text;
		const held = node >= 0 && (this.stop.held || []).includes(rank);
		const shown = `${name} ${place} ${held}`;

		if (this.selectedName === shown)
			return;
		this.selectedName = shown;
		this.askAt(null);
		const word = (text, line) => element("button", { type: "button", "data-line": line, disabled: !this.writes,
			onclick: () => this.say(line, this.ofCall) }, text);

		this.ofCall.replaceChildren(...node < 0 ? [element("small", {}, "Select a call in the graph for what can be done with it.")] : [
			word(`Roll back to ${name}`, `rollback ${name}`),
			word(`Step rank ${who}`, `step ${who}`),
			held ? word(`Release rank ${who}`, `release ${who}`) : word(`Hold rank ${who}`, `hold ${who}`),
			...(/:\d+$/.test(place) ? [word(`Break at ${place}`, `break ${place}`)] : []),
		]);
	}

	/* Shows the question, if there is one, where the line was given that it is about. */
	askAt(question) {
		this.confirm.hidden = !question;
		this.question.textContent = question ? `${question} ` : "";
		if (question && this.saidAt)
			this.saidAt.after(this.confirm);
		else
			this.form.before(this.confirm);
	}

	recall(event) {
		const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];

		if (!step || this.said.length === 0)
			return;
		event.preventDefault();
		this.recalled = Math.max(0, Math.min(this.said.length, (this.recalled ?? this.said.length) + step));
		this.line.value = this.said[this.recalled] || "";
	}

	/* --- messages of the server --- */

	hear(told) {
		if (told.contents && Object.keys(told).length === 1) {
			this.hearContents(told.contents);
			return;
		}
		if (!this.connected) {
			this.connected = true;
			this.text.textContent = "";
		}
		if (told.ranks !== undefined) { /* everything, from the beginning */
			this.ranks = told.ranks;
			for (const table of Object.values(this.data))
				table.length = 0;
			this.raw.ranks = this.ranks;
			this.rankNames = this.raw.rankNames = told.rank_names;
		}
		if (told.begins !== undefined)
			this.begin();
		for (const table of ["strings", "places", "communicators", "frames"])
			this.append(this.data[table], told[table]);
		for (const [index, name] of told.names || []) {
			this.data.communicators[index] = name;
			if (this.figure)
				this.figure.filtered = -1;
		}
		for (const shape of told.shapes || [])
			this.data.shapes.push(shapeOf(shape));
		this.hearCalls(told);
		this.append(this.raw.choices, told.choices);
		this.hearContents(told.contents);
		if (told.leftOut !== undefined)
			this.leftOut = told.leftOut;
		if (told.now)
			this.raw.waiting = told.now.waiting || [];
		if (told.stop) {
			this.stop = told.stop;
			if (told.stop.state === "runs")
				this.light = null;
		}
		if (told.title !== undefined) {
			this.title.textContent = told.title;
			document.title = `${told.title} — matchpoint`;
		}
		if (told.writes !== undefined) {
			this.writes = told.writes;
			this.pages = told.pages;
		}
		this.tellText((told.text || "") + (told.refused || ""));
		this.tellStop();
		this.schedule(Boolean(told.stop));
	}

	/* The contents of a call's messages. They are requested when the user looks at the call. */
	hearContents(told) {
		if (!told)
			return;
		const [rank, call, text] = told;

		this.contents.set(`${rank}.${call}`, text);
		if (text && this.figure)
			this.figure.tell();
	}

	contentsOf(node) {
		const { graph } = this.figure.view, name = `${graph.rank[node]}.${graph.number(node)}`;

		if (!this.contents.has(name)) {
			this.contents.set(name, "");
			this.send(`look ${name}`);
		}
		return this.contents.get(name);
	}

	append(to, values) {
		for (const value of values || [])
			to.push(value);
	}

	hearCalls({ calls, completed, collectives, matches, indices }) {
		const { raw } = this;

		for (const [rank, ...shapes] of calls || []) {
			for (const shape of shapes) {
				raw.calls[rank][0].push(shape);
				raw.calls[rank][1].push(0);
				raw.calls[rank][2].push(0);
			}
		}
		this.append(raw.matches, matches);
		this.append(raw.indices, indices);
		for (let i = 0; completed && i + 2 < completed.length; i += 3)
			this.set(1, completed[i], completed[i + 1], completed[i + 2] - completed[i + 1] + 1);
		for (let i = 0; collectives && i + 2 < collectives.length; i += 3)
			this.set(2, collectives[i], collectives[i + 1], collectives[i + 2]);
	}

	set(which, rank, call, value) {
		const calls = this.raw.calls[rank];

		if (calls && call >= 1 && call <= calls[which].length)
			calls[which][call - 1] = value;
	}

	/* --- output and state --- */

	tellText(text) {
		if (!text)
			return;
		const atEnd = this.text.scrollTop + this.text.clientHeight >= this.text.scrollHeight - 20;
		const whole = this.text.textContent + text;

		this.text.textContent = whole.length > TEXT_SHOWN ? whole.slice(-TEXT_SHOWN / 2) : whole;
		if (atEnd)
			this.text.scrollTop = this.text.scrollHeight;
		this.askAt(/(?:^|\n)([^\n]*)\(y(?:\/| or )n\)\s*$/.exec(whole)?.[1].trim());
		for (const [, reason] of text.matchAll(/^stopped: (.*)$/gm))
			this.reason = reason;
		const lit = /^rollback: ((?:\d+\.\d+ ?)+)$/m.exec(text);

		if (lit) {
			this.light = lit[1].trim().split(" ").map((name) => name.split(".").map(Number));
			this.lightUp();
		}
	}

	litIn(graph) {
		return new Set((this.light || []).map(([rank, call]) => graph.node(rank, call)));
	}

	/* Highlights in the graph that is drawn already: a large graph may not be drawn again
	 * soon. */
	lightUp() {
		if (!this.figure)
			return;
		const { view } = this.figure;

		view.graph.lit = this.litIn(view.graph);
		view.drawNow();
	}

	tellRole(problem) {
		const watches = this.connected && !this.writes;

		this.role.hidden = !problem && !watches && !this.leftOut;
		this.role.textContent = problem || (watches ? "This page is read-only: another page controls the session. " : "")
			+ (this.leftOut ? `${this.leftOut.toLocaleString("en")} later calls are not shown.` : "");
		for (const control of this.holder.querySelectorAll("[data-line], form input"))
			control.disabled = !this.writes;
	}

	tellStop() {
		const { stop } = this, asks = stop.state === "choice", over = stop.state === "over";
		const texts = { nowhere: "The program is not running.", runs: "The ranks are running.", choice: `Stopped: ${this.reason}.`,
			interrupted: "Interrupted. The ranks continue until the next stop.",
			over: `The interleaving has ended${stop.well ? ", and every rank ended well" : ""}.` };
		const findings = stop.findings || [];

		this.where.textContent = over && findings.length > 0
			? findings.map((text, i) => i % 2 === 0 ? `${text}: ` : `${text} `).join("") : texts[stop.state] || `Stopped: ${stop.state}.`;
		this.where.className = findings.length > 0 ? "extent bad" : "extent";
		this.offers.hidden = !asks || (stop.points || []).length === 0;
		this.offers.replaceChildren(...(stop.points || []).flatMap(([, , words, offers]) => [
			element("h3", {}, words),
			element("ol", {}, ...offers.map(([number, , , text, note]) => element("li", { value: `${number}` },
				element("button", { type: "button", "data-line": `${number}`, onclick: () => this.choose(number) }, text),
				note ? element("small", {}, ` ${note}`) : ""))),
		]));
		if (this.figure)
			this.tellSelected(this.figure.view.selected);
		this.tellRole();
		for (const [line, possible] of [["back", stop.before > 0], ["forward", stop.behind > 0], ["continue", asks],
			["finish", asks], ["interrupt", stop.state === "runs"]])
			this.words.querySelector(`[data-line="${line}"]`).disabled ||= !possible;
	}

	/* --- the graph --- */

	schedule(now) {
		const wait = this.made + REDRAWN_EVERY * this.cost - performance.now();

		if (this.timer && !now)
			return;
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.redraw(), now ? 0 : Math.max(0, wait));
	}

	redraw() {
		const begin = performance.now();

		this.timer = 0;
		if (this.ranks === 0)
			return;
		this.raw.faults = this.stop.faults || [];
		const graph = new Graph(this.data, this.raw);

		graph.offers = this.openOffers(graph);
		graph.lit = this.litIn(graph);
		graph.held = new Set(this.stop.held || []);
		if (this.figure)
			this.figure.renew(graph);
		else
			this.show(graph);
		for (const [name, text] of this.contents) /* ask again for unknown contents: the
		                                             call may have received its message
		                                             since */
			if (!text)
				this.contents.delete(name);
		this.made = performance.now();
		this.cost = this.made - begin;
		document.documentElement.dataset.calls = graph.count;
	}

	show(graph) {
		this.figure = new Figure(this.graphHolder, this.data, () => graph);
		this.figure.selected = (node) => this.tellSelected(node);
		this.figure.contents = (node) => this.contentsOf(node);
		this.figure.view.chosen = (offer) => this.choose(offer.number);
		window.matchpoint.figures.push(this.figure);
	}

	/* The messages that open choices can take, as edges. */
	openOffers(graph) {
		const found = [];

		for (const [rank, call, , offers] of this.stop.points || []) {
			for (const [number, source, sent, text] of offers) {
				const to = graph.node(rank, call), from = graph.node(source, sent);

				if (to >= 0 && from >= 0 && from !== to)
					found.push({ number, from, to, text });
			}
		}
		return found;
	}
}
