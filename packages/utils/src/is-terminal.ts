/** Whether a standard stream is a terminal, without loading the stream: Node's streams take 8 ms of a start. */
import { fstatSync, statSync } from "node:fs";

import { once } from "./once.ts";

const descriptors = { stdin: 0, stdout: 1, stderr: 2 } as const;

const nullDevice = once(() => statSync("/dev/null", { throwIfNoEntry: false })?.rdev);

/** Only a character device can be a terminal, and `/dev/null` is none: where it is another, the stream itself knows. */
export function isTerminal(name: keyof typeof descriptors): boolean {
	try {
		const file = fstatSync(descriptors[name]);
		return file.isCharacterDevice() && file.rdev !== nullDevice() && process[name].isTTY;
	} catch {
		// It is closed.
		return false;
	}
}
