/**
 * The types that the loop, the models and the log declare have the shapes of the protocol tables. The packages below
 * `wire` cannot import it, so their types are compared here, by the compiler: a field that is added, removed or changed
 * on one side alone is a type error in this file.
 */
import { expect, test } from "bun:test";
import type { AgentEvent, AgentMessage } from "@tau/agent";
import { thinkingLevels, type Model, type ownStream, type ThinkingLevel } from "@tau/ai";
import {
	commandSchema,
	type CommandResult,
	type EventFrame,
	type PublicModel,
	type Rule,
	type WireMessage,
} from "@tau/wire";

import type { contextModes, interruptModes, repeatModes } from "@tau/config/settings";
import type { SessionEvent } from "./behavior.ts";
import type { SessionStats } from "./stats.ts";

/**
 * A type as JSON carries it. What may be absent becomes a required field of another type: a type that lacks an optional
 * field is assignable to one that has it, and would pass for the same.
 */
type Json<T> = unknown extends T
	? unknown
	: T extends string
		? string extends T
			? string
			: T
		: T extends readonly (infer Item)[]
			? Json<Item>[]
			: T extends object
				? JsonObject<T>
				: T;
type JsonObject<T> = string extends keyof T
	? Record<string, unknown>
	: { [K in keyof T]-?: undefined extends T[K] ? { optional: Json<Exclude<T[K], undefined>> } : Json<T[K]> };

/** True for types that are assignable to each other. */
type Same<A, B> = [A, B] extends [B, A] ? true : { first: Exclude<A, B>; second: Exclude<B, A> };

/** Accepts `true` if the types are the same, and does not compile if they differ. */
function same<A, B>(_: Same<Json<A>, Json<B>>): void {}

/** An update is sent without the answer so far. */
type Sent<E> = E extends { type: "message_update"; message: infer M; assistantMessageEvent: infer U }
	? {
			type: "message_update";
			message: Omit<M, "content">;
			assistantMessageEvent: U extends { type: "toolcall_start"; contentIndex: infer I }
				? // The name would be in the answer so far.
					{ type: "toolcall_start"; contentIndex: I; id: string; name: string }
				: U extends unknown
					? Omit<U, "partial">
					: never;
		}
	: E extends { type: "child_event" }
		? never
		: E;

type EventName = EventFrame["type"];

test("messages, events and models are the same on both sides of the wire", () => {
	same<AgentMessage, WireMessage>(true);
	same<Sent<AgentEvent>, Extract<EventFrame, { type: AgentEvent["type"] }>>(true);
	same<SessionEvent["type"], EventName>(true);
	same<
		Omit<Model, "headers" | "compat" | "thinkingLevelMap" | typeof ownStream>,
		Omit<PublicModel, "compat" | "thinkingLevelMap">
	>(true);
	same<SessionStats, CommandResult<"get_session_stats">>(true);
	same<ThinkingLevel, CommandResult<"get_state">["thinkingLevel"]>(true);
	same<(typeof interruptModes)[number], NonNullable<Rule["interruptMode"]>>(true);
	same<(typeof contextModes)[number], NonNullable<Rule["contextMode"]>>(true);
	same<(typeof repeatModes)[number], NonNullable<Rule["repeatMode"]>>(true);
	// The comparison itself sees an optional field that one side lacks.
	same<
		Same<Json<{ a: string }>, Json<{ a: string; b?: number }>> extends true ? "same" : "differs",
		"differs"
	>(true);
	for (const level of thinkingLevels)
		expect(commandSchema("set_thinking_level").safeParse({ type: "set_thinking_level", level }).success).toBe(
			true,
		);
});
