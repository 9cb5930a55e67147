/** An answer stream that exists before its source is known, which may take a while to determine. */
import {
	MessageBuilder,
	failure,
	type AssistantMessage,
	type AssistantMessageEvent,
	type AssistantMessageEventStream,
	type Model,
} from "@tau/ai";
import { EventStream } from "@tau/utils";

/** What goes wrong on the way ends the answer, as everything that goes wrong with one does. */
export function laterStream(
	model: Model,
	begin: () => Promise<AssistantMessageEventStream>,
): AssistantMessageEventStream {
	const stream = new EventStream<AssistantMessageEvent, AssistantMessage>();
	void follow(stream, model, begin);
	return stream;
}

async function follow(
	stream: EventStream<AssistantMessageEvent, AssistantMessage>,
	model: Model,
	begin: () => Promise<AssistantMessageEventStream>,
): Promise<void> {
	const answer = await begin().catch((error: unknown) => failed(model, error));
	try {
		// A consumer that stops reading stops the answer.
		for await (const event of answer) if (!stream.push(event) && stream.closed) break;
		stream.end(await answer.result());
	} catch (error) {
		const { message } = failed(model, error);
		stream.push({ type: "error", reason: "error", error: message });
		stream.end(message);
	}
}

function failed(model: Model, error: unknown): AssistantMessageEventStream & { message: AssistantMessage } {
	const builder = new MessageBuilder(model);
	builder.fail(failure("unknown", error instanceof Error ? error.message : String(error)));
	return Object.assign(builder.stream, { message: builder.message });
}
