/** One random run: an application on an emulator; `Shadow` checks every frame. */
import { Container, Transcript, TUI, type OverlayHandle } from "@tau/tui";

import { checkBytes } from "./byte-rules.ts";
import { TestClock } from "./clock.ts";
import { Emulator } from "./emulator.ts";
import { Random } from "./random.ts";
import { Shadow, type PlayedFrame } from "./shadow.ts";
import { PlayedBlock, PlayedChrome, type Dress, type PlayedOverlay } from "./stage.ts";

export interface Shape {
	columns: number;
	rows: number;
	multiplexer: boolean;
	syncOutput: boolean;
	/** No component declares rows as final. */
	shellLike: boolean;
}

export class Play {
	readonly random: Random;
	readonly shape: Shape;
	readonly terminal: Emulator;
	readonly clock = new TestClock();
	readonly tui: TUI;
	readonly blocks: PlayedBlock[] = [];
	readonly chrome = new PlayedChrome();
	readonly transcript: Transcript | Container;
	readonly shadow: Shadow;
	overlay: { handle: OverlayHandle; component: PlayedOverlay } | undefined;
	mayErase = false;
	/** Words that may be in a multiplexer's history twice: they were on the screen when it was resized. */
	readonly twice = new Set<string>();
	#content = "";
	/** Chrome rows when the content last changed. */
	#restingChrome = 2;
	#words = 0;
	#drawnRows = new Map<PlayedBlock, number>();

	constructor(seed: number) {
		this.random = new Random(seed);
		this.shape = chooseShape(this.random);
		const count = this.random.between(0, 6);
		const shell = Array.from({ length: count }, (_, at) => `$${at}`);
		this.terminal = new Emulator({ ...this.shape, shell });
		this.tui = new TUI(this.terminal, this.random.chance(0.5), this.clock);
		this.transcript = this.shape.shellLike ? new Container() : new Transcript();
		this.tui.addChild(this.transcript);
		this.tui.addChild(this.chrome);
		this.shadow = new Shadow(shell, this.terminal.tape());
	}

	addBlock(live: boolean): PlayedBlock {
		const dress = this.random.pick<Dress>(["plain", "plain", "colored", "hostile", "wide"]);
		const block = new PlayedBlock(dress, live);
		this.blocks.push(block);
		this.transcript.addChild(block);
		return block;
	}

	/** All have the same length, so that none is a prefix of another. */
	newWords(count: number): string[] {
		return Array.from({ length: count }, () => `w${(this.#words++).toString(36).padStart(3, "0")}`);
	}

	get liveBlocks(): PlayedBlock[] {
		return this.blocks.filter(({ live }) => live);
	}

	frame(): PlayedFrame {
		const { columns, rows: height } = this.terminal;
		const rows: string[] = [];
		let firstLive: number | undefined;
		let appended = 0;
		for (const block of this.blocks) {
			const played = block.played(columns);
			if (block.live && firstLive === undefined) {
				firstLive = rows.length;
				appended = block.rewritten || block.grown < 3 ? 0 : Math.max(0, played.length - 2);
			}
			for (const { plain } of played) rows.push(plain);
		}
		const contentEnd = rows.length;
		const chrome = this.chrome.played(columns);
		for (const { plain } of chrome) rows.push(plain);
		const { shellLike } = this.shape;
		const frame: PlayedFrame = {
			rows,
			contentEnd: shellLike ? rows.length : contentEnd,
			firstLive: firstLive ?? contentEnd,
			appended,
			chromeGrowth: Math.max(0, chrome.length - this.#restingOf(contentEnd, chrome.length)),
			shellLike,
			narrow: columns < 6,
		};
		const overlay = this.overlay?.component;
		if (overlay === undefined) return frame;
		const shown = Math.min(overlay.height, height);
		const from = Math.floor((height - shown) / 2);
		return { ...frame, covered: { from, to: from + shown } };
	}

	/** Draws a frame, and checks the screen, the history and the bytes. */
	async drawn(): Promise<void> {
		await this.clock.pass(1000);
		this.checkBytes();
		this.watchGrowth();
		const frame = this.frame();
		this.shadow.check(frame, this.terminal.tape());
		this.#checkCaret(frame);
		if (this.clock.waiting > 0) throw new Error("a timer is pending although nothing is left to do");
	}

	/** Stops the program, which must write everything it has held back. */
	async ended(): Promise<void> {
		this.overlay?.handle.hide();
		this.overlay = undefined;
		await this.drawn();
		this.tui.stop();
		this.shadow.checkEnd(this.frame(), this.terminal.tape());
	}

	checkBytes(alternate = false): void {
		const { syncOutput } = this.shape;
		checkBytes(this.terminal.written, { mayErase: this.mayErase, syncOutput, alternate });
		this.terminal.written = [];
		this.mayErase = false;
	}

	watchGrowth(): void {
		for (const block of this.blocks) {
			const rows = block.played(this.terminal.columns).length;
			const before = this.#drawnRows.get(block);
			if (before !== undefined && rows > before) block.grown++;
			this.#drawnRows.set(block, rows);
		}
	}

	/** After a new layout the engine watches blocks from the beginning. */
	forgetGrowth(): void {
		for (const block of this.blocks) block.grown = 0;
		this.#drawnRows.clear();
		this.forgetResting();
	}

	/** The next frame determines the resting height of the chrome. */
	forgetResting(): void {
		this.#content = "";
	}

	/** The cursor is at the caret, not somewhere below the content. */
	#checkCaret({ rows, covered }: PlayedFrame): void {
		if (covered !== undefined || this.terminal.rows < 2) return;
		const { fromEnd, column } = this.chrome.caret(this.terminal.columns);
		const { cursor } = this.terminal;
		const row = this.terminal.screen()[cursor.row];
		if (row !== rows.at(-fromEnd) || cursor.column !== column) {
			throw new Error(`the cursor is at ${cursor.row}, ${cursor.column}: ${JSON.stringify(row)}`);
		}
	}

	/** The smallest height that the chrome may have had while the content was unchanged. */
	#restingOf(contentEnd: number, chrome: number): number {
		const content = `${contentEnd}x${this.terminal.columns}`;
		if (content !== this.#content && this.overlay === undefined) {
			this.#content = content;
			this.#restingChrome = chrome;
		}
		return Math.min(this.#restingChrome, chrome);
	}
}

function chooseShape(random: Random): Shape {
	const multiplexer = random.chance(0.35);
	const tiny = random.chance(0.2) && !multiplexer;
	return {
		columns: tiny ? random.between(2, 12) : random.between(12, 70),
		rows: tiny ? random.between(1, 5) : random.between(4, 24),
		multiplexer,
		syncOutput: random.chance(0.7),
		shellLike: random.chance(0.15) && !tiny,
	};
}
