/** The envelope that Code Assist puts around Google's requests and responses. */
import { projectOf } from "../../auth/code-assist/project.ts";
import { isObject, string, type Json } from "../../json.ts";
import type { Context, Model, StreamOptions } from "../../types.ts";
import { encode } from "./encode.ts";

export function encodeCodeAssist(model: Model, context: Context, options: StreamOptions): Json {
	const { apiKey, sessionId, serviceTier: _notHere, ...rest } = options;
	const project = projectOf(apiKey, process.env);
	const request = encode(model, context, rest);
	return {
		model: model.id,
		...(project === undefined ? {} : { project }),
		...(sessionId ? { user_prompt_id: promptId(sessionId, context) } : {}),
		request: sessionId ? { ...request, session_id: sessionId } : request,
	};
}

/** All requests of one user prompt have the same id. */
function promptId(sessionId: string, { messages }: Context): string {
	const prompts = messages.filter(({ role }) => role === "user").length;
	return `${sessionId}########${Math.max(0, prompts - 1)}`;
}

/** An error has no envelope. A response without an id gets that of its trace. */
export function unwrap(answer: Json): Json {
	if (!isObject(answer.response)) return answer;
	const responseId = string(answer.traceId);
	return responseId === "" ? answer.response : { responseId, ...answer.response };
}
