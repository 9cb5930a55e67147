/** How OpenAI-compatible servers are asked to think: each vendor has its own field for it. */
import type { Json } from "../../json.ts";
import type { Compat, Model, StreamOptions } from "../../types.ts";
import { wireLevel } from "../thinking.ts";

type Format = NonNullable<Compat["thinkingFormat"]>;

interface ThinkingRequest {
	/** Undefined if there is no preference: most vendors have a default of their own. */
	on: boolean | undefined;
	/** The vendor's name of the level. */
	effort: string | undefined;
	/** True if the server is known to accept that name beside its switch. */
	takesEffort: boolean | undefined;
}

/** Vendors with a switch accept the effort beside it, unless they are known not to, or only if they are known to. */
const formats: Readonly<Record<Format, (request: ThinkingRequest) => Json>> = {
	openai: ({ effort, takesEffort }) => effortField(effort, takesEffort !== false),
	openrouter: ({ on, effort }) => {
		const word = effort ?? (on === false ? "none" : undefined);
		return word === undefined ? {} : { reasoning: { effort: word } };
	},
	deepseek: ({ on, effort, takesEffort }) => ({
		...typeField(on),
		...effortField(effort, on === true && takesEffort !== false),
	}),
	together: ({ on, effort, takesEffort }) => ({
		...(on === undefined ? {} : { reasoning: { enabled: on } }),
		...effortField(effort, on === true && takesEffort !== false),
	}),
	zai: ({ on, effort, takesEffort }) => ({
		...typeField(on),
		...effortField(effort, on === true && takesEffort === true),
	}),
	qwen: ({ on, effort, takesEffort }) => ({
		...(on === undefined ? {} : { enable_thinking: on }),
		...effortField(effort, on === true && takesEffort === true),
	}),
	"qwen-chat-template": ({ on }) =>
		on === undefined ? {} : { chat_template_kwargs: { enable_thinking: on, preserve_thinking: true } },
};

export function encodeThinking(model: Model, { reasoning }: StreamOptions): Json {
	const { thinkingFormat = "openai", supportsReasoningEffort } = model.compat ?? {};
	return formats[thinkingFormat]({
		on: switchOf(model, reasoning),
		effort: wireLevel(model, reasoning),
		takesEffort: supportsReasoningEffort,
	});
}

function switchOf(model: Model, level: StreamOptions["reasoning"]): boolean | undefined {
	if (!model.reasoning || level === undefined) return undefined;
	if (level !== "off") return true;
	// The model cannot stop thinking, and may refuse the request to.
	return model.thinkingLevelMap?.off === null ? undefined : false;
}

function typeField(on: boolean | undefined): Json {
	return on === undefined ? {} : { thinking: { type: on ? "enabled" : "disabled" } };
}

function effortField(effort: string | undefined, taken: boolean): Json {
	return effort !== undefined && taken ? { reasoning_effort: effort } : {};
}
