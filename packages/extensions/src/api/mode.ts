/** What a mode of Tau gives to extensions: a screen or its like, and ways to exchange the session. */
import type { CustomEntry } from "@tau/session";

import type { InputSource } from "./event-types.ts";
import type { NavigateOptions, NewSessionOptions, RunMode } from "./types.ts";
import type { ExtensionUI } from "../ui/types.ts";

export interface ExtensionMode {
	readonly ui: ExtensionUI;
	readonly kind: RunMode;
	/** Whether somebody can answer dialogs. */
	readonly hasUI: boolean;
	/** Where prompts come from that do not say it. */
	readonly source: InputSource;
	/** Ends the program when nothing runs any more. */
	shutdown(): void;
	/** Absent where there is one session from beginning to end. */
	readonly control?: SessionControl;
	/** Shows what an extension has kept and can draw; absent where there is no screen. */
	showEntry?(entry: CustomEntry): void;
	/** Commands of the mode itself, which extensions cannot have. */
	readonly reservedCommands?: readonly string[];
}

/** Each resolves with whether it was done: an extension may have said no. */
export interface SessionControl {
	newSession(options: Pick<NewSessionOptions, "parentSession" | "setup">): Promise<boolean>;
	switchSession(path: string): Promise<boolean>;
	fork(entryId: string, position: "before" | "at"): Promise<boolean>;
	navigateTree(targetId: string, options: NavigateOptions): Promise<boolean>;
	reload(): Promise<void>;
}
