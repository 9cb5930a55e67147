/** Anything the demo does not understand: how to connect a real model, and what can be tried without one. */
import { fill } from "@tau/session/prompts";

import { say, type Step } from "../step.ts";
import abilities from "../texts/abilities.md" with { type: "text" };
import notUnderstood from "../texts/not-understood.md" with { type: "text" };

export function connect(): Step {
	return [say(fill(notUnderstood)), { kind: "connection" }, say(fill(abilities))];
}
