/** Resizes of a multiplexer's pane: the history keeps its rows, and no word of the conversation may get lost. */
import type { Play } from "./play.ts";

export async function resizeInMultiplexer(play: Play, columns: number, rows: number): Promise<void> {
	const { terminal } = play;
	const before = terminal.columns;
	noteScreen(play);
	for (let times = play.random.between(1, 3); times > 0; times--) {
		terminal.resize(times === 1 ? columns : play.random.between(12, 70), rows);
		terminal.notifyResize();
		await play.clock.pass(times === 1 ? 0 : 10);
	}
	noteScreen(play);
	await play.clock.pass(1000);
	play.checkBytes();
	if (columns !== before) play.forgetGrowth();
	play.watchGrowth();
	checkWords(play);
	play.shadow.adopt(terminal.tape(), play.frame());
}

/** Words on the screen, and words of a block that is only partly in the history, may be there twice afterwards. */
export function noteScreen(play: Play): void {
	for (const row of play.terminal.screen()) addWords(play.twice, row);
	const { columns } = play.terminal;
	let row = 0;
	for (const block of play.blocks) {
		const played = block.played(columns);
		row += played.length;
		const open = play.shape.shellLike || row >= play.shadow.committed;
		if (open) for (const { plain } of played) addWords(play.twice, plain);
	}
}

/** Everything will be shown again, below what cannot be erased. */
export function noteAll(play: Play): void {
	for (const row of play.frame().rows) addWords(play.twice, row);
}

function addWords(to: Set<string>, row: string): void {
	for (const word of wordsOf(row)) to.add(word);
}

function wordsOf(row: string): string[] {
	return row
		.replace("漢字", "")
		.split(" ")
		.filter((word) => word.startsWith("w"));
}

function checkWords(play: Play): void {
	const frame = play.frame();
	const counts = new Map<string, number>();
	for (const line of play.terminal.logicalLines()) {
		for (const word of wordsOf(line)) counts.set(word, (counts.get(word) ?? 0) + 1);
	}
	const top = Math.max(0, frame.rows.length - play.terminal.rows);
	const free = frame.shellLike ? top : Math.min(top, frame.firstLive) - frame.chromeGrowth;
	for (const [at, row] of frame.rows.entries()) {
		for (const word of wordsOf(row)) {
			const count = counts.get(word) ?? 0;
			const needed = (at >= top || at < free) && !play.shadow.stale.has(word);
			if (count === 0 && needed) throw new Error(`after a resize ${word} of row ${at} is nowhere`);
			const known = play.twice.has(word) || play.shadow.repeated.has(word);
			if (count > 1 && !known) throw new Error(`${word} is there ${count} times`);
		}
	}
}
