/* The marks of a graph: their shapes, and their colours, which the style sheet defines. */

function colours() {
	const style = getComputedStyle(document.documentElement), result = {};

	for (const name of ["card", "ink", "soft", "faint", "line", "lane", "code", "bad", "good", "open", "send", "receive",
		"collective", "other", "mark", "focus"])
		result[name] = style.getPropertyValue(`--${name}`).trim();
	result.text = style.getPropertyValue("--text").trim();
	return result;
}

/* Each kind has its own shape, so that kinds can be distinguished without colour. */
function drawCall(ink, colours, call, x, y, size, colour) {
	ink.fillStyle = ink.strokeStyle = colour;
	if (size < 2.5 || call.kind === 0) {
		const small = size < 2.5 ? size : 2.5;

		ink.fillRect(x - small * 1.4, y - small / 2, small * 2.8, small);
		return;
	}
	ink.beginPath();
	if (call.kind === COLLECTIVE) {
		ink.rect(x - size, y - size, size * 2, size * 2);
		ink.fill();
	} else if (call.kind === SEND) {
		ink.arc(x, y, size, 0, 7);
		ink.fill();
	} else {
		ink.lineWidth = 2;
		if (call.peer === ANY) {
			ink.moveTo(x, y - size - 1);
			ink.lineTo(x + size + 1, y);
			ink.lineTo(x, y + size + 1);
			ink.lineTo(x - size - 1, y);
			ink.closePath();
		} else {
			ink.arc(x, y, size - 0.5, 0, 7);
		}
		ink.fillStyle = colours.card;
		ink.fill();
		ink.stroke();
	}
}

/* A cross, where something goes wrong. */
function drawFault(ink, colours, x, y) {
	ink.lineCap = "round";
	for (const [colour, wide] of [[colours.card, 5.5], [colours.bad, 2.5]]) {
		ink.strokeStyle = colour;
		ink.lineWidth = wide;
		ink.beginPath();
		ink.moveTo(x - 5, y - 5);
		ink.lineTo(x + 5, y + 5);
		ink.moveTo(x + 5, y - 5);
		ink.lineTo(x - 5, y + 5);
		ink.stroke();
	}
	ink.lineCap = "butt";
}
