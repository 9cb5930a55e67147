/** Decodes the lines of an Ollama chat answer. */
import type { MessageBuilder } from "../../message-builder.ts";
import { count, list, object, parseObject, string, type Json } from "../../json.ts";
import type { Failure } from "../../types.ts";
import { endedEarly, notJson, reportedError } from "../broken.ts";
import type { Decoder, ServerEvent } from "../codec.ts";
import { finish, type Endings } from "../endings.ts";
import { Prose } from "../prose.ts";

/** `load` and `unload` end a request without messages. */
const endings: Endings = { stop: "complete", load: "complete", unload: "complete", length: "length" };

export class OllamaDecoder implements Decoder {
	readonly #builder: MessageBuilder;
	readonly #prose: Prose;

	constructor(builder: MessageBuilder) {
		this.#builder = builder;
		this.#prose = new Prose(builder);
	}

	event(event: ServerEvent): Failure | undefined {
		const line = parseObject(event.data);
		const error = reportedError(event, line);
		if (line) this.#usage(line);
		if (error) return error;
		if (!line) return notJson(event.data, "a line");
		this.#builder.start();
		const message = object(line.message);
		this.#prose.append("thinking", string(message.thinking));
		this.#prose.append("text", string(message.content));
		for (const call of list(message.tool_calls)) this.#call(object(call));
		return line.done === true ? finish(this.#builder, endings, string(line.done_reason)) : undefined;
	}

	end(): Failure | undefined {
		return endedEarly();
	}

	/** Calls arrive complete, and from older servers without an id. */
	#call(call: Json): void {
		this.#prose.end();
		const { name, arguments: args } = object(call.function);
		const index = this.#builder.openToolCall(string(call.id), string(name));
		this.#builder.append(index, typeof args === "string" ? args : JSON.stringify(args ?? {}));
		this.#builder.close(index);
	}

	/** Only the last line has counts. */
	#usage(line: Json): void {
		if (line.prompt_eval_count === undefined && line.eval_count === undefined) return;
		this.#builder.setUsage({ input: count(line.prompt_eval_count), output: count(line.eval_count) });
	}
}
