/** The protocols that clients may speak. */
import * as messages from "../anthropic-messages/serve-answer.ts";
import { readRequest as readMessages } from "../anthropic-messages/serve-request.ts";
import * as google from "../google/serve-answer.ts";
import { readRequest as readGoogle } from "../google/serve-request.ts";
import * as completions from "../openai-completions/serve-answer.ts";
import { readRequest as readCompletions } from "../openai-completions/serve-request.ts";
import * as responses from "../openai-responses/serve-answer.ts";
import { readRequest as readResponses } from "../openai-responses/serve-request.ts";
import * as tau from "../tau-gateway/serve.ts";
import type { ServedProtocol } from "./types.ts";

export type ProtocolName = "messages" | "completions" | "responses" | "google" | "tau" | "pi";

export const servedProtocols: Readonly<Record<ProtocolName, ServedProtocol>> = {
	messages: {
		api: "anthropic-messages",
		request: readMessages,
		writer: (facts) => new messages.MessagesWriter(facts),
		document: messages.messageDocument,
		error: messages.errorBody,
	},
	completions: {
		api: "openai-completions",
		request: readCompletions,
		writer: (facts) => new completions.CompletionsWriter(facts),
		document: completions.completionDocument,
		error: completions.errorBody,
	},
	responses: {
		api: "openai-responses",
		request: readResponses,
		writer: (facts) => new responses.ResponsesWriter(facts),
		document: responses.responseDocument,
		error: completions.errorBody,
	},
	google: {
		api: "google-generative-ai",
		request: readGoogle,
		writer: (facts) => new google.GoogleWriter(facts),
		document: google.generateDocument,
		error: google.errorBody,
	},
	tau: {
		api: "tau-gateway",
		request: tau.readRequest,
		writer: () => new tau.TauWriter(),
		document: (message) => ({ ...message }),
		error: tau.errorBody,
	},
	pi: {
		// No model speaks it: every request is translated.
		api: "",
		request: tau.readRequest,
		writer: () => new tau.PiWriter(),
		document: (message) => ({ message }),
		error: tau.errorBody,
	},
};
