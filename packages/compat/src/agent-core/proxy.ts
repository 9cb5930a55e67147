/** Asks a model through a server that holds the keys, as pi's web applications do. */
import {
	MessageBuilder,
	failure,
	type AssistantMessageEventStream,
	type Context,
	type Model,
	type Usage,
} from "@tau/ai";

interface ProxyOptions {
	authToken: string;
	proxyUrl: string;
	signal?: AbortSignal;
	[option: string]: unknown;
}

/** An event without the message that it belongs to: that is put together here. */
interface ProxyEvent {
	type: string;
	contentIndex?: number;
	delta?: string;
	contentSignature?: string;
	id?: string;
	toolName?: string;
	reason?: string;
	errorMessage?: string;
	usage?: Usage;
}

export function streamProxy(
	model: Model,
	context: Context,
	options: ProxyOptions,
): AssistantMessageEventStream {
	const reader = new AbortController();
	const builder = new MessageBuilder(model, () => reader.abort());
	const signal = options.signal ? AbortSignal.any([options.signal, reader.signal]) : reader.signal;
	void ask(builder, model, context, { ...options, signal }).catch((error: unknown) => {
		if (signal.aborted) builder.abort();
		else builder.fail(failure("network", error instanceof Error ? error.message : String(error)));
	});
	return builder.stream;
}

async function ask(
	builder: MessageBuilder,
	model: Model,
	context: Context,
	options: ProxyOptions,
): Promise<void> {
	const { authToken, proxyUrl, signal, ...rest } = options;
	const response = await fetch(`${proxyUrl.replace(/\/+$/, "")}/api/stream`, {
		method: "POST",
		headers: { authorization: `Bearer ${authToken}`, "content-type": "application/json" },
		body: JSON.stringify({ model, context, options: rest }),
		...(signal ? { signal } : {}),
	});
	if (!response.ok || !response.body)
		throw new Error(`The proxy answered ${response.status} ${response.statusText}`.trim());
	const decoder = new TextDecoder();
	let unfinished = "";
	const indexes = new Map<number, number>();
	for await (const chunk of response.body) {
		const lines = (unfinished + decoder.decode(chunk, { stream: true })).split("\n");
		unfinished = lines.pop() ?? "";
		for (const line of lines) {
			if (line.startsWith("data:")) apply(builder, JSON.parse(line.slice(5)) as ProxyEvent, indexes);
			if (builder.ended) return;
		}
	}
	throw new Error("The proxy ended the response early.");
}

/** The index of a block may differ on both sides: `indexes` maps it. */
function apply(builder: MessageBuilder, event: ProxyEvent, indexes: Map<number, number>): void {
	const { type, contentIndex = 0, delta = "" } = event;
	const at = indexes.get(contentIndex) ?? -1;
	if (type === "start") builder.start();
	else if (type === "text_start") indexes.set(contentIndex, builder.openText());
	else if (type === "thinking_start") indexes.set(contentIndex, builder.openThinking());
	else if (type === "toolcall_start")
		indexes.set(contentIndex, builder.openToolCall(event.id ?? "", event.toolName ?? ""));
	else if (type.endsWith("_delta")) builder.append(at, delta);
	else if (type.endsWith("_end")) {
		if (type === "thinking_end" && event.contentSignature) builder.sign(at, event.contentSignature);
		builder.close(at);
	} else end(builder, event);
}

function end(builder: MessageBuilder, { type, reason, errorMessage, usage }: ProxyEvent): void {
	if (usage) builder.setUsage(usage);
	if (type === "done") builder.done(reason === "length" || reason === "toolUse" ? reason : "stop");
	else if (reason === "aborted") builder.abort();
	else builder.fail(failure("unknown", errorMessage ?? "The proxy reported that the answer failed."));
}
