/** What rows of a transcript need to know of the session that they belong to. */
import type { CommandFields, WebDrawing } from "@tau/wire";
import { createContext } from "preact";

import type { SessionFiles } from "./session-files.ts";

export interface RowContext {
	/** Files where the session works; absent where the user may not see them. */
	readonly files?: SessionFiles | undefined;
	/** Shows one of them beside the conversation, or one that calls have written. */
	readonly onFile?: ((path: string, line?: number) => void) | undefined;
	/** The name of this client: what it has sent needs none. */
	readonly me?: string | undefined;
	/** The user wants to go on from this message of theirs. */
	readonly onEdit?: ((entryId: string, text: string) => void) | undefined;
	/** The reader wants to see inside all calls. */
	readonly areCallsOpen?: boolean | undefined;
	/** The call that the reader has jumped to. */
	readonly openCall?: string | undefined;
	/** What extensions draw of an entry or a call; empty where none does. Absent for what is only read. */
	readonly draw?: ((about: CommandFields<"draw_for_web">) => Promise<WebDrawing>) | undefined;
}

export const SessionContext = createContext<RowContext>({});
