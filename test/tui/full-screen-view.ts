/** The expected rows of the alternate screen: the end of the conversation, and the chrome below it. */
import type { Play } from "./play.ts";

export function checkFullScreen(play: Play): void {
	const { rows, contentEnd } = play.frame();
	const height = play.terminal.rows;
	const chrome = rows.slice(Math.max(contentEnd, rows.length - height));
	const room = height - chrome.length;
	const expected = [...rows.slice(Math.max(0, contentEnd - room), contentEnd), ...chrome];
	for (const [at, row] of play.terminal.screen().entries()) {
		const wanted = expected[at] ?? "";
		if (row === wanted) continue;
		throw new Error(`full screen row ${at} is ${JSON.stringify(row)} instead of ${JSON.stringify(wanted)}`);
	}
}
