/** What a mode of Tau gives to extensions: a screen or its like, and ways to exchange the session. */

import type { InputSource } from "./event-types.ts";
import type { NavigateOptions, NewSessionOptions, RunMode } from "./types.ts";
import type { ExtensionUI } from "../ui/types.ts";

export interface ExtensionMode {
	readonly ui: ExtensionUI;
	readonly kind: RunMode;
	/** True if a user can answer dialogs. */
	readonly hasUI: boolean;
	/** The source of prompts that do not name their own. */
	readonly source: InputSource;
	/** Ends the program when nothing runs any more. */
	shutdown(): void;
	/** Absent where there is one session from beginning to end. */
	readonly control?: SessionControl;
}

/** Each method resolves with whether it was done, because an extension may have cancelled it. */
export interface SessionControl {
	newSession(options: Pick<NewSessionOptions, "parentSession" | "setup">): Promise<boolean>;
	switchSession(path: string): Promise<boolean>;
	fork(entryId: string, position: "before" | "at"): Promise<boolean>;
	navigateTree(targetId: string, options: NavigateOptions): Promise<boolean>;
	reload(): Promise<void>;
}
