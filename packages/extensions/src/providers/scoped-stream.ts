/** Asks models by the protocols that extensions of a session have registered, and else by the built-in ones. */
import {
	classify,
	ownStream,
	stream,
	type AssistantMessage,
	type AssistantMessageEventStream,
	type Model,
	type StreamFunction,
} from "@tau/ai";

import { currentScope, type ExtensionScope } from "../support/scope.ts";

type Answerer = Pick<AssistantMessage, "provider" | "model">;

/** Which model's usage it is: extensions pass it on without the answer. */
const answerers = new WeakMap<object, Answerer>();

export function answererOf(usage: object): Answerer | undefined {
	return answerers.get(usage);
}

/** A protocol may be registered at any time, so the scope is asked at each request. */
export function scopedStream(scopeNow: () => ExtensionScope): StreamFunction {
	const answererFor = (model: Model): StreamFunction => {
		const scope = scopeNow();
		const registered = model[ownStream] ? undefined : scope.apis.get(model.api);
		if (!registered) return stream.for?.(model) ?? stream;
		return (...asked) => withFailureKind(scope.run(() => registered(...asked)));
	};
	const scoped: StreamFunction = (model, context, options) => answererFor(model)(model, context, options);
	return Object.assign(scoped, { for: answererFor });
}

/** For code of extensions and programs: by the protocols of the session that runs it. */
export const streamInScope: StreamFunction = (model, context, options) => {
	const answer = inScope(model, context, options);
	// Before the caller has it. A stream that fails does so where it is read.
	answer.result().then(
		({ usage, provider, model: id }) => void answerers.set(usage, { provider, model: id }),
		() => {},
	);
	return answer;
};

const inScope = scopedStream(currentScope);

/** Bypasses the stream function of the model. */
export const streamByApi: StreamFunction = ({ [ownStream]: _, ...model }, context, options) =>
	streamInScope(model, context, options);

/** An extension reports an error only as text; the failure's kind is derived from it and decides how to handle it. */
export function withFailureKind(answer: AssistantMessageEventStream): AssistantMessageEventStream {
	const classified = (message: AssistantMessage): AssistantMessage => {
		if (message.stopReason === "error") message.failure ??= classify({ body: message.errorMessage });
		return message;
	};
	return {
		async *[Symbol.asyncIterator]() {
			for await (const event of answer) {
				if (event.type === "error") classified(event.error);
				yield event;
			}
		},
		result: async () => classified(await answer.result()),
	};
}
