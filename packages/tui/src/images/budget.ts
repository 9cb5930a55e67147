/** Keeps the pixels of only the newest images: terminals hold them in memory, and some have little. */
import { imageLimits } from "../limits.ts";
import { forgetImage } from "./placed.ts";

let most: number = imageLimits.live;
/** The oldest first. */
let live: { id: number; demote(): void }[] = [];

/** The number of images that are shown as such; older ones become a line of text in a space of the same height. */
export function setMaxInlineImages(count: number): void {
	most = Math.max(0, Math.floor(count));
	trim();
}

/** An image is shown from now on; `demote` is called when it must become text. */
export function claimImage(id: number, demote: () => void): void {
	if (live.some((other) => other.id === id)) return;
	live.push({ id, demote });
	trim();
}

export function releaseImage(id: number): void {
	live = live.filter((other) => other.id !== id);
	forgetImage(id);
}

function trim(): void {
	for (const { id, demote } of live.splice(0, Math.max(0, live.length - most))) {
		forgetImage(id);
		demote();
	}
}
