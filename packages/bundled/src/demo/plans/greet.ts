/** "hi" */
import { fill } from "@tau/utils";

import { say, type Step } from "../step.ts";
import greeting from "../texts/greeting.md" with { type: "text" };

export function greet(): Step {
	return [say(fill(greeting))];
}
