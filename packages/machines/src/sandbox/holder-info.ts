/** Waits until bubblewrap has set up a sandbox, and returns a process inside. */
import type { ChildProcess } from "node:child_process";

import { abortable, withTimeout } from "@tau/utils";

import { streams } from "@tau/sys/node-library";
import { limits } from "./limits.ts";

/** Rejects with what bubblewrap said. */
export async function readInfo(child: ChildProcess): Promise<number> {
	const { stdout, stderr } = child;
	const line = child.stdio[3];
	if (!(line instanceof streams().Readable) || !stdout || !stderr)
		throw new Error("The sandbox has no pipe.");
	const found = Promise.withResolvers<number>();
	const ready = Promise.withResolvers<void>();
	let info = "";
	let complaint = "";
	line.on("data", (chunk: Buffer) => {
		if (info.length < limits.infoBytes) info += chunk.toString("latin1");
		const pid = /"child-pid": (\d+)[^}]*\}/.exec(info)?.[1];
		if (pid !== undefined) found.resolve(Number(pid));
	});
	// The process exists before its file system does.
	stdout.on("data", () => ready.resolve());
	stderr.on("data", (chunk: Buffer) => {
		if (complaint.length < limits.complaintBytes) complaint += chunk.toString("utf8");
	});
	for (const stream of [line, stdout, stderr]) stream.on("error", () => {});
	const fail = (error: Error): void => {
		ready.reject(error);
		found.reject(error);
	};
	// Only the first of the two is awaited after a failure.
	found.promise.catch(() => {});
	child.on("error", fail);
	child.on("close", () => {
		const reason = complaint.trim() || `bubblewrap exited with ${child.exitCode ?? child.signalCode}`;
		fail(new Error(`The sandbox could not be started: ${reason}`));
	});
	using deadline = withTimeout(undefined, limits.startMs, "The sandbox did not start.");
	const pid = await abortable(
		ready.promise.then(() => found.promise),
		deadline.signal,
	);
	for (const stream of [line, stdout, stderr, child.stdin])
		if (stream && "unref" in stream && typeof stream.unref === "function") stream.unref();
	return pid;
}
