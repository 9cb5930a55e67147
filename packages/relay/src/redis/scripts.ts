/** What Redis does in one step, so that no node sees half of it. Each file says what it does with which keys. */
import appendText from "./append.lua" with { type: "text" };
import beatText from "./beat.lua" with { type: "text" };
import claimText from "./claim.lua" with { type: "text" };
import joinText from "./join.lua" with { type: "text" };
import leaveAsHostText from "./leave-as-host.lua" with { type: "text" };
import leaveText from "./leave.lua" with { type: "text" };

export interface Script {
	readonly keys: number;
	readonly text: string;
}

export const append: Script = { keys: 2, text: appendText };
export const beat: Script = { keys: 1, text: beatText };
export const claim: Script = { keys: 3, text: claimText };
export const join: Script = { keys: 2, text: joinText };
export const leave: Script = { keys: 1, text: leaveText };
export const leaveAsHost: Script = { keys: 1, text: leaveAsHostText };
