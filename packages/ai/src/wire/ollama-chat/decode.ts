/** Decodes the lines of an Ollama chat answer. */
import type { MessageBuilder } from "../../message-builder.ts";
import { classify } from "../../failure.ts";
import { count, list, object, parseObject, string, type Json } from "../../json.ts";
import type { Failure } from "../../types.ts";
import { endedEarly, notJson } from "../broken.ts";
import type { Decoder, ServerEvent } from "../codec.ts";
import { Prose } from "../prose.ts";

export class OllamaDecoder implements Decoder {
	readonly #builder: MessageBuilder;
	readonly #prose: Prose;

	constructor(builder: MessageBuilder) {
		this.#builder = builder;
		this.#prose = new Prose(builder);
	}

	event({ data }: ServerEvent): Failure | undefined {
		const line = parseObject(data);
		if (!line) return notJson(data, "a line");
		if (line.error !== undefined && line.error !== null) return classify({ body: line });
		this.#builder.start();
		const message = object(line.message);
		this.#prose.append("thinking", string(message.thinking));
		this.#prose.append("text", string(message.content));
		for (const call of list(message.tool_calls)) this.#call(object(call));
		if (line.done === true) this.#finish(line);
		return undefined;
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

	#finish(line: Json): void {
		this.#builder.setUsage({ input: count(line.prompt_eval_count), output: count(line.eval_count) });
		this.#builder.done(line.done_reason === "length" ? "length" : this.#builder.wholeReason);
	}
}
