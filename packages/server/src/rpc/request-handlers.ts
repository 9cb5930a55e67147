/** The commands about questions to the user: they work before the session is open, and while a dialog is. */
import { assertOutcome, type UserRequests } from "@tau/session/host";
import { UserError } from "@tau/session/run";
import { answerSchema } from "@tau/wire";

import type { RpcCommand, RpcCommandOf } from "./commands.ts";
import type { RpcResult } from "./protocol.ts";

export type RequestCommand = RpcCommandOf<"list_requests"> | RpcCommandOf<"answer_request">;

export function isRequestCommand(command: RpcCommand): command is RequestCommand {
	return command.type === "list_requests" || command.type === "answer_request";
}

/** `answer`: of the session, if there is one and another client answers. */
export function handleRequest(
	command: RequestCommand,
	requests: UserRequests,
	answerWith: UserRequests["answer"] = (id, answer) => requests.answer(id, answer),
): RpcResult {
	if (command.type === "list_requests") return { requests: requests.pending };
	const { requestId, answer } = command;
	const request = requests.pending.find(({ id }) => id === requestId);
	if (!request) throw new UserError(`No request ${requestId} is open.`);
	const parsed = answerSchema(request.kind).safeParse(answer);
	if (!parsed.success)
		throw new UserError(`The answer does not fit a request of kind ${request.kind}: ${parsed.error.message}`);
	assertOutcome(answerWith(requestId, "cancelled" in parsed.data ? undefined : parsed.data));
	return undefined;
}
