/** Anything the demo does not understand: how to connect a real model, and what can be tried without one. */
import { fill } from "@tau/utils";

import { say, type Step } from "../step.ts";
import abilities from "../texts/abilities.md" with { type: "text" };
import stillNoModel from "../texts/still-no-model.md" with { type: "text" };
import notUnderstood from "../texts/not-understood.md" with { type: "text" };
import type { Turn } from "../turn.ts";

/** In full once; who has read it needs no more than a reminder. */
export function connect({ hasExplained }: Turn): Step {
	if (hasExplained) return [say(fill(stillNoModel))];
	return [say(fill(notUnderstood)), { kind: "connection" }, say(fill(abilities))];
}
