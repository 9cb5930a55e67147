/** What rows of a transcript need to know of the session that they belong to. */
import type { CommandFields, WebDrawing } from "@tau/wire";
import { createContext } from "preact";

export interface RowContext {
	/** Where a file of the session's machine can be read; undefined where it cannot. */
	readonly fileAddress: ((path: string) => string | undefined) | undefined;
	/** The user wants to go on from this message of theirs. */
	readonly onEdit?: ((entryId: string, text: string) => void) | undefined;
	/** The reader wants to see inside all calls. */
	readonly areCallsOpen?: boolean | undefined;
	/** The call that the reader has jumped to. */
	readonly openCall?: string | undefined;
	/** What extensions draw of an entry or a call; empty where none does. Absent for what is only read. */
	readonly draw?: ((about: CommandFields<"draw_for_web">) => Promise<WebDrawing>) | undefined;
	/** Shows a file that calls have written beside the conversation. */
	readonly onArtifact?: ((path: string) => void) | undefined;
}

export const SessionContext = createContext<RowContext>({ fileAddress: undefined });
