/** The modes that were switched on, and the bytes that restore the terminal. */

/** Each mode has a sequence that switches it on, and one that switches it off. */
const sequences = {
	bracketedPaste: ["\x1b[?2004h", "\x1b[?2004l"],
	/** Disambiguated keys, their event types (press, repeat, release) and their keys on other layouts. */
	kittyKeyboard: ["\x1b[>7u", "\x1b[<u"],
	modifyOtherKeys: ["\x1b[>4;2m", "\x1b[>4m"],
	appearance: ["\x1b[?2031h", "\x1b[?2031l"],
	/** An extension has switched it on. */
	focusReports: ["\x1b[?1004h", "\x1b[?1004l"],
	inBandResize: ["\x1b[?2048h", "\x1b[?2048l"],
	/** Alternate scroll reports the wheel as cursor keys; it stays on, as pagers rely on it in many terminals. */
	alternateScreen: ["\x1b[?1049h\x1b[?1007h", "\x1b[?1049l"],
} as const;

export type Mode = keyof typeof sequences;

/**
 * Resets everything that an interrupted frame may have left: wrapping, the cursor, synchronized output, colors and
 * links; and reports of the focus, which extensions switch on by themselves.
 */
const always = "\x1b[?1004l\x1b[?2026l\x1b[?7h\x1b[0m\x1b]8;;\x1b\\\x1b[?25h";

export class Modes {
	#on: Mode[] = [];
	/** Called after modes have changed. */
	onChange: (() => void) | undefined;

	has(mode: Mode): boolean {
		return this.#on.includes(mode);
	}

	/** The bytes that switch the mode; empty when it is already set. */
	set(mode: Mode, on: boolean): string {
		if (this.has(mode) === on) return "";
		this.#on = on ? [...this.#on, mode] : this.#on.filter((other) => other !== mode);
		this.onChange?.();
		const bytes = sequences[mode][on ? 0 : 1];
		if (mode !== "alternateScreen" || !this.has("kittyKeyboard")) return bytes;
		// Each screen has its own stack of keyboard modes.
		const [push, pop] = sequences.kittyKeyboard;
		return on ? bytes + push : pop + bytes;
	}

	/** Switches everything off, the last first, and remembers what was on. */
	restoreSequence(): string {
		const twice = this.has("alternateScreen") && this.has("kittyKeyboard") ? sequences.kittyKeyboard[1] : "";
		return (
			twice +
			this.#on
				.toReversed()
				.map((mode) => sequences[mode][1])
				.join("") +
			always
		);
	}

	/** Switches everything on again after `restoreSequence`. */
	resumeSequence(): string {
		const again = this.#on;
		this.#on = [];
		return again.map((mode) => this.set(mode, true)).join("");
	}

	clear(): void {
		this.#on = [];
	}
}
