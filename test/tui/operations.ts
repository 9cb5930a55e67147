/** Random operations of an application and its user on the screen. */
import { renderImage, setCapabilities } from "@tau/tui";

import { checkFullScreen } from "./full-screen-view.ts";
import { noteAll, noteScreen, resizeInMultiplexer } from "./multiplexer.ts";
import type { Play } from "./play.ts";
import { PlayedOverlay, type PlayedBlock } from "./stage.ts";

setCapabilities({ images: "kitty", trueColor: true, hyperlinks: true });

/** Changes the content and requests a frame. */
interface Change {
	name: string;
	weight: number;
	run(play: Play): void;
}

interface Operation extends Omit<Change, "run"> {
	run(play: Play): void | Promise<void>;
	/** The operation draws and checks by itself. */
	checks?: true;
}

const changes: readonly Change[] = [
	{ name: "append", weight: 6, run: append },
	{ name: "picture", weight: 1, run: picture },
	{ name: "begin", weight: 4, run: begin },
	{ name: "stream", weight: 10, run: stream },
	{ name: "grow", weight: 4, run: grow },
	{ name: "rewrite", weight: 3, run: rewrite },
	{ name: "tick", weight: 3, run: tick },
	{ name: "finish", weight: 4, run: finish },
	{ name: "menu", weight: 3, run: menu },
	{ name: "spin", weight: 4, run: spin },
	{ name: "theme", weight: 1, run: theme },
	{ name: "force", weight: 1, run: ({ tui }) => tui.requestRender(true) },
	{ name: "rewind", weight: 2, run: rewind },
];

const all: readonly Operation[] = [
	...changes,
	{ name: "type", weight: 4, run: type },
	{ name: "replace", weight: 1, run: replace },
	{ name: "overlay", weight: 3, run: overlay },
	{ name: "resize", weight: 3, run: resize, checks: true },
	{ name: "slow", weight: 2, run: slow, checks: true },
	{ name: "burst", weight: 3, run: burst },
	{ name: "suspend", weight: 1, run: suspend },
	{ name: "full screen", weight: 1, run: fullScreen, checks: true },
];

/** Records the name of one operation and runs it. */
export async function step(play: Play, emit: (name: string) => void): Promise<void> {
	const operation = choose(play, all);
	emit(operation.name);
	await operation.run(play);
	if (operation.checks !== true) await play.drawn();
}

function choose<T extends { weight: number }>({ random }: Play, from: readonly T[]): T {
	const total = from.reduce((sum, { weight }) => sum + weight, 0);
	let at = random.between(1, total);
	return from.find(({ weight }) => (at -= weight) <= 0) ?? random.pick(from);
}

function fixedRows(play: Play, count: number): string[] {
	return Array.from({ length: count }, () => (play.random.chance(0.1) ? "" : (play.newWords(1)[0] ?? "")));
}

function append(play: Play): void {
	const { random } = play;
	const block = play.addBlock(false);
	const most = random.chance(0.15) ? 60 : 8;
	if (random.chance(0.5)) block.fixed = fixedRows(play, random.between(0, most));
	else block.words = play.newWords(random.between(1, most * 3));
	play.tui.requestRender();
}

/** The emulator cannot show an image, but everything around it must be at the right position. */
function picture(play: Play): void {
	const dimensions = { widthPx: 90, heightPx: 18 * play.random.between(1, 6) };
	const drawn = renderImage("AAAA", dimensions, { maxWidthCells: 10 });
	if (drawn === null) throw new Error("pictures are off");
	const block = play.addBlock(false);
	block.picture = drawn;
	block.fixed = fixedRows(play, 2);
	play.tui.requestRender();
}

function begin(play: Play): void {
	const block = play.addBlock(true);
	if (play.random.chance(0.4)) block.fixed = fixedRows(play, play.random.between(1, 20));
	play.tui.requestRender();
}

function aLiveBlock(play: Play): PlayedBlock | undefined {
	const { liveBlocks } = play;
	return liveBlocks.length === 0 ? undefined : play.random.pick(liveBlocks);
}

function stream(play: Play): void {
	const block = aLiveBlock(play) ?? play.addBlock(true);
	block.words.push(...play.newWords(play.random.between(1, 30)));
	play.tui.requestRender();
}

/** Inserts rows before the words, which moves everything below them. */
function grow(play: Play): void {
	const block = aLiveBlock(play);
	if (block === undefined) return append(play);
	if (block.words.length > 0) block.rewritten = true;
	block.fixed.push(...fixedRows(play, play.random.between(1, 6)));
	play.tui.requestRender();
}

function rewrite(play: Play): void {
	const block = aLiveBlock(play);
	if (block === undefined || block.fixed.length === 0) return stream(play);
	block.rewritten = true;
	const at = play.random.between(0, block.fixed.length - 1);
	const count = play.random.between(0, 3);
	block.fixed.splice(at, play.random.between(1, 4), ...fixedRows(play, count));
	play.tui.requestRender();
}

/** The last rows of a tool's block change all the time. */
function tick(play: Play): void {
	const block = aLiveBlock(play);
	if (block === undefined || block.fixed.length === 0) return spin(play);
	block.rewritten = true;
	const last = Math.max(0, block.fixed.length - play.random.between(1, 3));
	block.fixed.splice(last, block.fixed.length - last, ...fixedRows(play, block.fixed.length - last));
	play.tui.requestComponentRender(block);
}

function finish(play: Play): void {
	const block = aLiveBlock(play);
	if (block !== undefined) block.live = false;
	play.tui.requestRender();
}

function menu(play: Play): void {
	play.chrome.menu = play.chrome.menu > 0 ? 0 : play.random.between(1, Math.max(1, play.terminal.rows - 3));
	play.tui.requestRender();
}

function type(play: Play): void {
	play.chrome.typed = play.random.chance(0.2) ? "" : `${play.chrome.typed}x`;
	play.terminal.type("x");
}

function spin(play: Play): void {
	play.chrome.tick++;
	play.tui.requestComponentRender(play.chrome);
}

function theme(play: Play): void {
	play.tui.invalidate();
	play.tui.requestRender();
}

function rewind(play: Play): void {
	const count = play.random.between(1, Math.max(1, Math.min(4, play.blocks.length)));
	for (const block of play.blocks.splice(-count)) play.transcript.removeChild(block);
	if (play.random.chance(0.3)) anew(play);
	else play.tui.requestRender();
}

function replace(play: Play): void {
	play.blocks.length = 0;
	play.transcript.clear();
	if (play.random.chance(0.7)) append(play);
	anew(play);
}

function anew(play: Play): void {
	play.tui.requestRender(true, { clearScrollback: true });
	play.forgetGrowth();
	if (play.shape.multiplexer) {
		noteAll(play);
		play.shadow.replaced();
	} else {
		play.mayErase = true;
		play.shadow.erased();
	}
}

function overlay(play: Play): void {
	if (play.overlay !== undefined) {
		play.overlay.handle.hide();
		play.overlay = undefined;
		return;
	}
	const component = new PlayedOverlay(play.random.between(1, 8));
	play.overlay = {
		component,
		handle: play.tui.showOverlay(component, { width: "100%", nonCapturing: true }),
	};
}

async function resize(play: Play): Promise<void> {
	const { random, terminal, shape } = play;
	const careful = shape.multiplexer || shape.shellLike;
	const columns = random.chance(0.4) ? terminal.columns : newColumns(play);
	const rows = random.chance(0.3) ? terminal.rows : random.between(careful ? 4 : 1, 24);
	if (columns === terminal.columns && rows === terminal.rows) return;
	if (shape.multiplexer) {
		// Text under an overlay cannot be checked.
		if (play.overlay !== undefined) overlay(play);
		await play.drawn();
		return resizeInMultiplexer(play, columns, rows);
	}
	// As when a window is dragged: only the last size is drawn.
	for (let times = random.between(1, 4); times > 0; times--) {
		terminal.resize(times === 1 ? columns : newColumns(play), rows);
		terminal.notifyResize();
		await play.clock.pass(times === 1 ? 0 : 10);
	}
	play.mayErase = true;
	play.shadow.erased();
	play.forgetGrowth();
	await play.drawn();
}

function newColumns({ random, shape }: Play): number {
	return random.between(shape.multiplexer || shape.shellLike ? 12 : 2, 70);
}

async function slow(play: Play): Promise<void> {
	play.terminal.congested = true;
	for (let times = play.random.between(1, 6); times > 0; times--) {
		choose(play, changes).run(play);
		await play.clock.pass(1000);
		if (play.terminal.written.length > 0)
			throw new Error("a frame was written to a terminal that takes none");
	}
	play.terminal.congested = false;
	play.terminal.onDrain?.();
	await play.drawn();
}

/** Many requests result in one frame. */
function burst(play: Play): void {
	for (let times = play.random.between(2, 6); times > 0; times--) choose(play, changes).run(play);
}

function suspend(play: Play): void {
	const { terminal } = play;
	noteScreen(play);
	terminal.onStop?.();
	terminal.feed("$ fg\r\n");
	play.shadow.interrupted(terminal.tape());
	terminal.onContinue?.();
}

async function fullScreen(play: Play): Promise<void> {
	if (play.overlay !== undefined) return;
	const before = play.terminal.tape();
	play.tui.setFullScreen(true);
	play.shadow.accept();
	for (let times = play.random.between(1, 5); times > 0; times--) {
		const operation = choose(play, changes);
		// Leaving shows what is new; replacing the conversation meanwhile has a test of its own.
		if (operation.name !== "rewind") operation.run(play);
		await play.clock.pass(1000);
		checkFullScreen(play);
		play.checkBytes(true);
		play.watchGrowth();
	}
	const after = play.terminal.tape();
	if (before.history.join("\n") !== after.history.join("\n"))
		throw new Error("the normal screen was written to");
	play.tui.setFullScreen(false);
	play.forgetResting();
	await play.drawn();
}
