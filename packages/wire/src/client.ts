/** What a client works with: the session in this process, or a replica of one behind a socket, a room or a file. */
import type { CommandFields, CommandName, CommandResult } from "./commands.ts";
import type { EventFrame } from "./events.ts";
import type { ClientInfo } from "./session-shapes.ts";
import type { SessionView } from "./view.ts";

export interface SessionClient extends Disposable {
	/** Who this client is to the session. */
	readonly me: ClientInfo;
	/** As of now: read it each time. */
	readonly view: SessionView;
	/**
	 * Called with each event, when the view has it already. A session of this process waits for a listener that leaves too
	 * much unread, which its promises say.
	 */
	subscribe(listener: (event: EventFrame) => void | Promise<void>): Disposable;
	/** Called when the view is another one: the session has moved, or the client had lagged too far behind. */
	onReset(listener: () => void): Disposable;
	/** Rejects with the reason if it is refused, the right is missing, or the connection ends. */
	request<T extends CommandName>(
		type: T,
		fields: CommandFields<T>,
		signal?: AbortSignal,
	): Promise<CommandResult<T>>;
}
