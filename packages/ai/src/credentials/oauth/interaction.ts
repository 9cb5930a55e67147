/** What a login needs from whoever runs it: a place to show where to go, and perhaps a way to paste what came back. */

export type LoginStep =
	/** `pasteOnly`: this machine cannot be reached by the browser. */
	| { kind: "browser"; url: string; pasteOnly: boolean }
	/** The code is to be typed at the address, unless the address holds it already. */
	| { kind: "device"; url: string; code: string };

export interface LoginInteraction {
	show(step: LoginStep): void;
	/** One line for the person. */
	notice(message: string): void;
	/** The next line that the person pastes; undefined when there will be none. Absent where nobody can paste. */
	paste?(signal: AbortSignal, options?: { mayBeEmpty?: boolean }): Promise<string | undefined>;
}
