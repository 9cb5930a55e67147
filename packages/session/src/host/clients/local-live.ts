/** What is being made in the session of this process: the answer is its own growing object, so nothing is put together twice. */
import { Live } from "@tau/wire";

import type { SessionEvent } from "../../run/behavior.ts";

export class LocalLive extends Live {
	onEvent(event: SessionEvent): void {
		switch (event.type) {
			case "message_start":
			case "message_update":
				if (event.message.role === "assistant") this.answer = event.message;
				return;
			// What happens in an agent is no part of this session's state.
			case "child_event":
				return;
			default:
				this.apply(event);
		}
	}
}
