/** What the terminal has been asked about itself, and what follows from its answers. */
import { setCellDimensions, setSixel } from "../images/index.ts";
import { setKittyProtocolActive } from "../input/index.ts";
import { imageLimits } from "../limits.ts";
import { detectFeatures, type TerminalFeatures } from "../terminal-features.ts";
import type { Modes } from "./modes.ts";
import { Probes, type Probe } from "./probes.ts";
import type { Reply } from "./replies.ts";
import type { ColorScheme } from "./terminal.ts";

interface AnswerEvents {
	write(bytes: string): void;
	/** The background was detected as dark or light, or has changed. */
	appearance(appearance: ColorScheme): void;
	/** The terminal says by itself that its colors have changed. */
	scheme(scheme: ColorScheme): void;
}

export class Answers {
	readonly #modes: Modes;
	readonly #events: AnswerEvents;
	#features: TerminalFeatures;
	#probes: Probes | undefined;
	/** Who waits for a reply, by what they asked. */
	readonly #asked = new Map<Probe, ((reply: Reply | undefined) => void)[]>();
	#richNotices = false;
	#hasCellSize = false;
	#appearance: ColorScheme | undefined;

	constructor(modes: Modes, isTerminal: boolean, events: AnswerEvents) {
		this.#modes = modes;
		this.#events = events;
		this.#features = isTerminal ? detectFeatures() : { ...detectFeatures(), dumb: true };
	}

	get features(): TerminalFeatures {
		return this.#features;
	}

	/** The background as the terminal has reported it. */
	get appearance(): ColorScheme | undefined {
		return this.#appearance;
	}

	/** Whether it knows the sequence for notices with a title. */
	get richNotices(): boolean {
		return this.#richNotices;
	}

	/** A reply may still come. */
	get isAwaited(): boolean {
		return this.#probes?.waiting ?? false;
	}

	/** Asks what every program has to know. */
	begin(): void {
		this.#probes = new Probes((probe, reply) => this.#learn(probe, reply));
		const questions: Probe[] = [
			"keyboard",
			"background",
			"syncOutput",
			"inBandResize",
			"appearance",
			"cellSize",
		];
		if (!this.#features.multiplexer) questions.push("notifications");
		if (this.#features.images === "sixel") questions.push("colorRegisters");
		this.#events.write(this.#modes.set("bracketedPaste", true) + this.#probes.ask(questions));
	}

	end(): void {
		this.#probes?.[Symbol.dispose]();
		this.#probes = undefined;
	}

	ask(probe: Probe, answered: (reply: Reply | undefined) => void): void {
		if (this.#probes === undefined) return answered(undefined);
		this.#asked.set(probe, [...(this.#asked.get(probe) ?? []), answered]);
		this.#events.write(this.#probes.ask([probe]));
	}

	isAsked(probe: Probe): boolean {
		return (this.#asked.get(probe)?.length ?? 0) > 0;
	}

	take(reply: Reply): void {
		if (reply.kind === "appearance") {
			this.#events.write(this.#probes?.ask(["background"]) ?? "");
			if (!this.isAsked("colorScheme")) this.#events.scheme(schemeOf(reply));
		}
		if (reply.kind === "sentinel" && reply.showsSixel) this.#askForSixel();
		this.#probes?.onReply(reply);
	}

	#learn(probe: Probe, reply: Reply | undefined): void {
		if (probe === "keyboard") this.#chooseKeyboard(reply !== undefined);
		this.#asked.get(probe)?.shift()?.(reply);
		if (reply?.kind === "background") this.#seeBackground(reply);
		if (reply?.kind === "cellSize") this.#seeCellSize(reply);
		if (probe === "colorRegisters") this.#useSixel(reply?.kind === "colorRegisters" ? reply.count : 0);
		if (reply?.kind === "notifications") this.#richNotices = true;
		if (reply?.kind !== "mode" || reply.state === 0) return;
		if (probe === "syncOutput" && !this.#features.syncOutputForced) {
			this.#features = { ...this.#features, syncOutput: reply.state !== 4 };
		}
		if (probe === "appearance" || probe === "inBandResize") this.#events.write(this.#modes.set(probe, true));
	}

	#seeCellSize(size: { widthPx: number; heightPx: number }): void {
		if (size.widthPx === 0 || size.heightPx === 0) return;
		this.#hasCellSize = true;
		setCellDimensions(size);
	}

	/** Every query is followed by one for the terminal's features: only the first reply counts. */
	#askForSixel(): void {
		if (!this.#features.asksForSixel) return;
		this.#features = { ...this.#features, asksForSixel: false };
		this.#events.write(this.#probes?.ask(["colorRegisters"]) ?? "");
	}

	/** Sixel is as large as its pixels: without the size of a cell it would cover rows that are not its own. */
	#useSixel(colors: number): void {
		if (this.#features.images === null && !this.#hasCellSize) return;
		this.#features = { ...this.#features, images: "sixel" };
		setSixel(colors || imageLimits.sixelColors);
	}

	#chooseKeyboard(kitty: boolean): void {
		this.#events.write(this.#modes.set(kitty ? "kittyKeyboard" : "modifyOtherKeys", true));
		setKittyProtocolActive(kitty);
	}

	#seeBackground({ red, green, blue }: { red: number; green: number; blue: number }): void {
		// Rec. 709 luma: the perceived brightness.
		const appearance = 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.5 ? "light" : "dark";
		if (appearance === this.#appearance) return;
		this.#appearance = appearance;
		this.#events.appearance(appearance);
	}
}

export function schemeOf({ dark }: { dark: boolean }): ColorScheme {
	return dark ? "dark" : "light";
}
