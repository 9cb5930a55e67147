/** Checks the bytes of a frame against the rules of docs/terminal.md that the screen itself does not show. */

export interface FrameKind {
	/** The user asked for a full redraw, in a terminal that can be erased. */
	mayErase: boolean;
	syncOutput: boolean;
	/** The frame was drawn on the alternate screen, which has no history to preserve. */
	alternate: boolean;
}

export function checkBytes(written: readonly string[], { mayErase, syncOutput, alternate }: FrameKind): void {
	const all = written.join("");
	if (!mayErase && /\x1b\[[23]J/.test(all)) throw new Error("a frame erased the screen or its history");
	if (!mayErase && !alternate && /\x1b\[[\d;]*[Hf]/.test(all)) {
		throw new Error("a frame moved the cursor to a fixed place");
	}
	if (/\x1b\]52|\x1bc|\u202e|\x9b/.test(all)) throw new Error("what a block wrote reached the terminal");
	for (const frame of written) checkFrame(frame, syncOutput);
}

function checkFrame(frame: string, syncOutput: boolean): void {
	const wraps = frame.match(/\x1b\[\?7[hl]/g) ?? [];
	if (wraps.join("") !== "\x1b[?7l\x1b[?7h".repeat(wraps.length / 2)) {
		throw new Error("autowrap is not off and on again");
	}
	const text = frame.replace(/\x1b\[[?0-9;]*[a-zA-Z]/g, "");
	if (wraps.length === 0 && /[^\r\n]/.test(text)) throw new Error("rows were written with autowrap on");
	if (/(?<![\r\n])\n/.test(frame)) throw new Error("a line feed without a carriage return");
	const sync = frame.match(/\x1b\[\?2026[hl]/g) ?? [];
	if (syncOutput && wraps.length > 0) {
		const whole = frame.startsWith("\x1b[?2026h") && frame.endsWith("\x1b[?2026l");
		if (!whole || sync.length !== 2) throw new Error("a frame is not whole");
	} else if (sync.length > 0) throw new Error("brackets that nobody asked for");
}
