/* Descriptions of calls. */

const ANY = -1;

function shortName(name) {
	return name.replace(/^MPI_/, "");
}

/* The name of a track of a rank with several threads. */
function threadName(thread, narrow) {
	if (narrow)
		return thread === 0 ? "m" : `t${thread}`;
	return thread === 0 ? "main" : `thread ${thread}`;
}

/* ", thread 1" for a call of a rank with several threads. */
function byThread(graph, node) {
	const { rank, thread } = graph.tracks[graph.track[node]];

	return !graph.threaded(rank) ? "" : thread === 0 ? ", main thread" : `, thread ${thread}`;
}

const REQUESTS = 4; /* that a label lists */
const INDICES = 32; /* that are listed elsewhere */

/* "index 2", "indices 0, 3", "undefined": in the program's array, from 0. */
function indicesText(indices) {
	if (indices.length === 0)
		return "undefined";
	if (indices.length > REQUESTS)
		return `${indices.length} indices`;
	return `${indices.length > 1 ? "indices" : "index"} ${indices.join(", ")}`;
}

/* "not yet", "yes, from 2", "index 2", "request of call 3"; "": not known, or no poll. */
function answerText(graph, node) {
	const answer = graph.answers.get(node);

	if (!answer || graph.open(node))
		return "";
	if (!answer.yes)
		return "not yet";
	if (answer.indices)
		return indicesText(answer.indices);
	if (answer.from >= 0)
		return `yes, from ${answer.from}`;
	if (answer.requests.length === 0 || /^MPI_(Test(all)?|Request_get_status)$/.test(graph.name(node)))
		return "yes";
	if (answer.requests.length > REQUESTS)
		return `${answer.requests.length} requests`;
	return requestsText(graph, answer.requests);
}

/* "request of call 3", "requests of calls 3, 4" */
function requestsText(graph, requests) {
	return `${requests.length > 1 ? "requests of calls" : "request of call"} ${requests.map((one) => graph.number(one)).join(", ")}`;
}

/* "returns index 2 (counted from 0): the request of call 3", of what Waitany or its kin has returned; null: not known, or not yet */
function returnedText(graph, node) {
	const { yes, indices, requests } = graph.open(node) ? {} : graph.answers.get(node) || {};

	if (!yes || !indices)
		return null;
	if (indices.length === 0)
		return "returns MPI_UNDEFINED: no request is active";
	return `returns ${indices.length > 1 ? "indices" : "index"} ${ranges(indices.slice(0, INDICES))}` +
		(indices.length > INDICES ? ", …" : "") + " (counted from 0)" +
		(requests.length === indices.length && requests.length <= INDICES ? `: the ${requestsText(graph, requests)}` : "");
}

/* "Send → 2", "Iprobe: yes, from 2", "Waitany → index 2" */
function label(graph, node) {
	const call = graph.call(node), name = shortName(graph.name(node)), answer = answerText(graph, node);

	if (answer)
		return graph.answers.get(node).indices ? `${name} → ${answer}` : `${name}: ${answer}`;
	if (call.kind === SEND)
		return `${name} → ${call.peer}`;
	if (call.kind > SEND && call.kind < COLLECTIVE)
		return `${name} ← ${call.peer === ANY ? "any" : call.peer}`;
	return name;
}

/* "source=ANY, tag=7, on MPI_COMM_WORLD, 4 bytes" */
function envelope(graph, node) {
	const call = graph.call(node), parts = [];

	if (call.kind === 0)
		return "";
	if (call.kind === COLLECTIVE) {
		if (call.peer !== ANY)
			parts.push(`root=${call.given}`);
	} else {
		const peer = call.kind === SEND ? "dest" : "source";

		parts.push(`${peer}=${call.peer === ANY ? "ANY" : call.given}`);
		parts.push(`tag=${call.tag === ANY ? "ANY" : call.tag}`);
	}
	if (graph.communicator(node))
		parts.push(`on ${graph.communicator(node)}`);
	if (call.bytes > 0)
		parts.push(`${call.bytes.toLocaleString("en")} byte${call.bytes === 1 ? "" : "s"}`);
	return parts.join(", ");
}

/* "rank 1's MPI_Send, call 2, a.c:20" */
function another(graph, node) {
	return `rank ${graph.rankName(graph.rank[node])}'s ${graph.name(node)}${byThread(graph, node)}, call ${graph.number(node)}, ` +
		graph.place(node).text;
}

const FRAMES = 8; /* lines of a stack: the innermost frames, and the outermost */

/* "take, a.c:6", then "called from exchange, a.c:13" and so on. Without debugging information
 * the text names the function. */
function stackLines(frames) {
	const lines = frames.map(({ name, text }, i) =>
		(i > 0 ? "called from " : "") + (name && !text.startsWith(`${name}+`) ? `${name}, ${text}` : text));
	const more = lines.length - FRAMES + 1;

	if (more > 1)
		lines.splice(FRAMES - 2, more, `… ${more} more`);
	return lines;
}

/* Ranks as "0, 2-5". */
function ranges(numbers) {
	const parts = [];

	for (let i = 0; i < numbers.length; i++) {
		const from = numbers[i];

		while (numbers[i + 1] === numbers[i] + 1)
			i++;
		parts.push(numbers[i] === from ? `${from}` : `${from}-${numbers[i]}`);
	}
	return parts.join(", ");
}

/* The same for ranks, by name. */
function rankRanges(graph, ranks) {
	return graph.rankNames ? ranks.map((rank) => graph.rankName(rank)).join(", ") : ranges(ranks);
}

/* Everything else about a call: [text, class]. */
function relations(graph, node) {
	const lines = [], choice = graph.choices.get(node), k = graph.collective[node];

	if (graph.received[node] >= 0)
		lines.push([`takes ${another(graph, graph.from[graph.received[node]])}`, ""]);
	if (graph.sent[node] >= 0)
		lines.push([`is taken by ${another(graph, graph.to[graph.sent[node]])}`, ""]);
	if (k > 0) {
		const members = graph.members.subarray(graph.membersBegin[k], graph.membersBegin[k + 1]);

		lines.push([`with rank${members.length === 1 ? "" : "s"} ` +
			rankRanges(graph, Array.from(members, (member) => graph.rank[member])), ""]);
	}
	if (graph.completed[node] > node)
		lines.push([`completed in call ${graph.number(graph.completed[node])}, ` +
			graph.name(graph.completed[node]), ""]);
	if (returnedText(graph, node))
		lines.push([returnedText(graph, node), ""]);
	if (graph.faults.has(node))
		lines.push([graph.faults.get(node), "bad"]);
	else if (graph.open(node))
		lines.push(["never returned", ""]);
	if (choice) {
		const text = (option) => option.text + (option.ahead > 0 ? ` in call ${graph.number(node) + option.ahead}` : "");

		lines.push([`chosen: ${text(choice.taken)}`, choice.blamed ? "bad" : ""]);
		for (const other of choice.others)
			lines.push([`instead: ${text(other)}`, choice.blamed ? "good" : ""]);
	}
	return lines;
}

/* "× 8,333: the 6 rows above, folded (click or press f to unfold)"; if a block is a poll that is
 * repeated: "Iprobe: 12 × not yet, then yes, from 2 (the row above is the first; click or press f to
 * unfold)" */
function foldedText(graph, block) {
	const rows = block.once === 1 ? "row" : `${block.once} rows`, times = block.times.toLocaleString("en");
	const polled = block.once === 1 ? polledText(graph, block, times) : "";

	return polled ? `${polled} (the row above is the first; click or press f to unfold)`
		: `× ${times}: the ${rows} above, folded (click or press f to unfold)`;
}

/* Whether all calls of a block, which begin at this place in `order`, were answered the same: the
 * indices of rows that are alike may differ. */
function isOneAnswer(graph, block, slot) {
	const text = (i) => answerText(graph, graph.order[slot + i]);

	if (block.isOneAnswer === undefined) {
		block.isOneAnswer = true;
		for (let i = 1; i < block.times && block.isOneAnswer; i++)
			block.isOneAnswer = text(i) === text(0);
	}
	return block.isOneAnswer;
}

/* Of a block of one row, if nothing but a poll is in it; else "". */
function polledText(graph, block, times) {
	const nodes = graph.startingIn(block.row), node = nodes[0], text = nodes.length === 1 ? answerText(graph, node) : "";
	const slot = nodes.length === 1 ? graph.slot[node] + block.times : -1;
	const next = slot >= 0 && slot < graph.tracks[graph.track[node]].end ? graph.order[slot] : -1;
	const then = next >= 0 && graph.name(next) === graph.name(node) ? answerText(graph, next) : "";

	return text && isOneAnswer(graph, block, slot - block.times)
		? `${shortName(graph.name(node))}: ${times} × ${text}${then && then !== text ? `, then ${then}` : ""}` : "";
}
