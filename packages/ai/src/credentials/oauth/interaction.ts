/** The user interface of a login: it shows where to go, and may accept a pasted answer. */

export type LoginStep =
	/** `pasteOnly`: the browser cannot reach this machine. */
	| { kind: "browser"; url: string; pasteOnly: boolean }
	/** The user types the code at the address, unless the address already contains it. */
	| { kind: "device"; url: string; code: string };

export interface LoginInteraction {
	show(step: LoginStep): void;
	/** One line for the user. */
	notice(message: string): void;
	/** The next line that the user pastes; undefined when there will be none. Absent if pasting is impossible. */
	paste?(signal: AbortSignal, options?: { mayBeEmpty?: boolean }): Promise<string | undefined>;
}
