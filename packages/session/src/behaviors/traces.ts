/**
 * Traces a session: a span for each run, request and tool call, named as OpenTelemetry's conventions for generative AI
 * name them. Names, models, amounts and durations only: no prompt, answer, argument or result is part of them.
 */
import type { AgentMessage } from "@tau/agent";

import type { SessionManager } from "@tau/log";
import type { Behavior, SessionEvent } from "../run/behavior.ts";
import type { OtlpExporter, Span } from "./otlp.ts";

type Open = Omit<Span, "endMs" | "traceId">;

export function traces(log: SessionManager, exporter: OtlpExporter): Behavior {
	return {
		name: "traces",
		attach: (session) => {
			const tracer = new Tracer(log, exporter, () => session.model);
			return session.onAfter(tracedEvents, (event) => tracer.onEvent(event));
		},
	};
}

const tracedEvents = [
	"agent_start",
	"turn_start",
	"message_end",
	"tool_execution_start",
	"tool_execution_end",
	"agent_end",
] as const;

class Tracer {
	readonly #log: SessionManager;
	readonly #exporter: OtlpExporter;
	readonly #model: () => { id: string; provider: string };
	#traceId = "";
	#run: Open | undefined;
	#request: Open | undefined;
	readonly #calls = new Map<string, Open>();

	constructor(log: SessionManager, exporter: OtlpExporter, model: () => { id: string; provider: string }) {
		this.#log = log;
		this.#exporter = exporter;
		this.#model = model;
	}

	onEvent(event: Extract<SessionEvent, { type: (typeof tracedEvents)[number] }>): void {
		switch (event.type) {
			case "agent_start":
				return this.#begin();
			case "turn_start":
				this.#request = this.#open(`chat ${this.#model().id}`, 3, this.#run, {
					"gen_ai.operation.name": "chat",
					"gen_ai.provider.name": this.#model().provider,
					"gen_ai.request.model": this.#model().id,
				});
				return;
			case "message_end":
				return this.#answered(event.message);
			case "tool_execution_start":
				this.#calls.set(
					event.toolCallId,
					this.#open(`execute_tool ${event.toolName}`, 1, this.#run, {
						"gen_ai.operation.name": "execute_tool",
						"gen_ai.tool.name": event.toolName,
						"gen_ai.tool.call.id": event.toolCallId,
					}),
				);
				return;
			case "tool_execution_end":
				this.#close(this.#calls.get(event.toolCallId), event.isError ? "tool error" : undefined);
				this.#calls.delete(event.toolCallId);
				return;
			case "agent_end":
				return this.#end(event.stopReason, event.errorMessage);
		}
	}

	#begin(): void {
		this.#traceId = randomHex(16);
		this.#run = this.#open("invoke_agent tau", 1, undefined, {
			"gen_ai.operation.name": "invoke_agent",
			"gen_ai.agent.name": "tau",
			"gen_ai.conversation.id": this.#log.getSessionId(),
		});
	}

	#answered(message: AgentMessage): void {
		if (message.role !== "assistant" || !this.#request) return;
		const { usage, stopReason, model } = message;
		const isFailed = stopReason === "error" || stopReason === "aborted";
		const attributes = {
			...this.#request.attributes,
			"gen_ai.response.model": model,
			"gen_ai.usage.input_tokens": usage.input + usage.cacheRead + usage.cacheWrite,
			"gen_ai.usage.output_tokens": usage.output,
			"gen_ai.usage.cache_read.input_tokens": usage.cacheRead,
			"gen_ai.response.finish_reasons": stopReason,
			"tau.cost_usd": usage.cost.total,
		};
		this.#close({ ...this.#request, attributes }, isFailed ? stopReason : undefined);
		this.#request = undefined;
	}

	#end(stopReason: string | undefined, errorMessage: string | undefined): void {
		for (const call of this.#calls.values()) this.#close(call, "aborted");
		this.#calls.clear();
		this.#close(this.#run, errorMessage === undefined ? undefined : stopReason);
		this.#run = undefined;
		this.#exporter.flush();
	}

	#open(name: string, kind: Span["kind"], parent: Open | undefined, attributes: Span["attributes"]): Open {
		const spanId = randomHex(8);
		const under = parent ? { parentSpanId: parent.spanId } : {};
		return { spanId, ...under, name, kind, startMs: Date.now(), attributes };
	}

	#close(span: Open | undefined, error: string | undefined): void {
		if (!span) return;
		const failure = error === undefined ? {} : { error };
		this.#exporter.add({ ...span, ...failure, traceId: this.#traceId, endMs: Date.now() });
	}
}

function randomHex(bytes: number): string {
	return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("hex");
}
