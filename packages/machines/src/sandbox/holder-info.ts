/** Waits until bubblewrap has set up a sandbox, and returns a process inside. */
import { childSocket } from "@tau/sys";
import { abortable, withTimeout } from "@tau/utils";

import { limits } from "./limits.ts";

/** The process that holds a sandbox: it has a pipe in, one for what it prints, one for errors, and one for its facts. */
export type HolderProcess = Bun.Subprocess<"pipe", "pipe", "pipe">;

/** Rejects with what bubblewrap said. */
export async function readInfo(child: HolderProcess): Promise<number> {
	const errors = child.stderr.getReader();
	const complained = readComplaint(errors);
	let isStarted = false;
	const failed = child.exited.then(async () => {
		// From then on its starter handles its exit.
		if (isStarted) return await new Promise<never>(() => {});
		const complaint = await Promise.race([complained, Bun.sleep(limits.complaintMs)]);
		const reason = complaint?.trim() || `bubblewrap exited with ${child.exitCode ?? child.signalCode}`;
		throw new Error(`The sandbox could not be started: ${reason}`);
	});
	failed.catch(() => {});
	using deadline = withTimeout(undefined, limits.startMs, "The sandbox did not start.");
	const [pid] = await abortable(
		Promise.race([Promise.all([readPid(child), untilPrinted(child)]), failed]),
		deadline.signal,
	);
	isStarted = true;
	// It prints nothing from now on, and Tau would not exit before a pipe that is read has closed.
	void errors.cancel();
	return pid;
}

/** Never resolves for one that ended before it said so. */
async function readPid(child: HolderProcess): Promise<number> {
	const found = Promise.withResolvers<number>();
	let info = "";
	const line = await childSocket(child, 3, (chunk) => {
		if (info.length < limits.infoBytes) info += Buffer.from(chunk).toString("latin1");
		const pid = /"child-pid": (\d+)[^}]*\}/.exec(info)?.[1];
		if (pid !== undefined) found.resolve(Number(pid));
	});
	await Promise.race([found.promise, child.exited]);
	line.terminate();
	return await found.promise;
}

/** The process exists before its file system does. */
async function untilPrinted({ stdout }: HolderProcess): Promise<void> {
	const reader = stdout.getReader();
	await reader.read();
	void reader.cancel();
}

interface Reader {
	read(): Promise<{ readonly value?: Uint8Array | undefined }>;
}

async function readComplaint(errors: Reader): Promise<string> {
	const decoder = new TextDecoder();
	let complaint = "";
	for (let { value } = await errors.read(); value; { value } = await errors.read())
		if (complaint.length < limits.complaintBytes) complaint += decoder.decode(value);
	return complaint;
}
