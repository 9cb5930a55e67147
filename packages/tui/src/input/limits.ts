/** Bounds of what the keyboard side keeps and waits for, each with its reason. */

export const limits = {
	/** A lone ESC is the Escape key after this long: terminals write a sequence at once, a person cannot. */
	escapeMs: 10,
	/** A begun CSI or SS3 may be torn by the network between two packets; nobody types one by hand. */
	sequenceMs: 100,
	/** Replies with a payload (OSC, DCS, APC) may take several packets; keys are lost until then, so not longer. */
	stringMs: 1_000,
	/** A paste whose end does not come within this silence is over, or a lost end would take every later key. */
	pasteStallMs: 5_000,
	/** The longest CSI: a kitty key with its text is below 100 characters. */
	csiChars: 256,
	/** The longest OSC, DCS or APC reply: capabilities and colours are below 1 KB, a clipboard answer is larger. */
	stringChars: 64 * 1024,
	/** What of one paste is kept: far above any prompt, far below trouble. The rest is dropped and counted. */
	pasteChars: 16 * 1024 * 1024,
	/** Parsed key ids that are remembered; more only if ids are made up at run time. */
	parsedKeyIds: 1_024,
} as const;
