/** What Redis does in one step, so that no node sees half of it. Each file says what it does with which keys. */
import appendText from "./append.lua" with { type: "text" };
import beatText from "./beat.lua" with { type: "text" };
import claimText from "./claim.lua" with { type: "text" };
import joinText from "./join.lua" with { type: "text" };
import leaveAsHostText from "./leave-as-host.lua" with { type: "text" };
import leaveText from "./leave.lua" with { type: "text" };
import noteText from "./note.lua" with { type: "text" };
import openText from "./open.lua" with { type: "text" };
import tellText from "./tell.lua" with { type: "text" };

export interface Script {
	readonly text: string;
	readonly hash: string;
}

export const append = script(appendText);
export const beat = script(beatText);
export const open = script(openText);
export const claim = script(tellText + claimText);
export const join = script(tellText + joinText);
export const leave = script(tellText + leaveText);
export const leaveAsHost = script(tellText + leaveAsHostText);
export const note = script(tellText + noteText);

/** What a node listens to. */
export function channelOf(node: string): string {
	return `tau:node:${node}`;
}

function script(text: string): Script {
	return { text, hash: new Bun.CryptoHasher("sha1").update(text).digest("hex") };
}
