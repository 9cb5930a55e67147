/** Logs that a run asks the user something, so that the list of sessions can show which ones wait for an answer. */
import type { UserRequests } from "../host/requests.ts";
import { openRequestType, type SessionManager } from "@tau/log";
import type { Behavior } from "../run/behavior.ts";

export function requestRecord(log: SessionManager, requests: UserRequests): Behavior {
	return {
		name: "request-record",
		attach: (session) =>
			requests.subscribe((event) => {
				// Several questions at once are one wait, and a question outside a run is not part of the conversation.
				if (event.type !== "request_opened" || requests.pending.length > 1 || !session.signal) return;
				log.appendCustomEntry(openRequestType, { kind: event.request.kind });
			}),
	};
}
