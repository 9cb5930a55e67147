/** The problems that a session file can have, as values, and as messages for the user. */
import { basename } from "node:path";
import { isSuspended, type LockOwner } from "@tau/utils";

export type LogProblem =
	/** The last line was incomplete. Its bytes are in `<file>.damaged`. */
	| { kind: "torn"; bytes: number }
	/** A line in the middle could not be read. It is in `<file>.damaged`, and its position in the tree is preserved. */
	| { kind: "damaged"; offset: number; bytes: number; id?: string }
	/** The parent is not in the file; the entry is attached to the one before it. */
	| { kind: "orphan"; id: string; parentId: string }
	/** The parents of this entry formed a cycle; it is attached to the entry before it. */
	| { kind: "cycle"; id: string }
	/** Two entries had the same id; the later one got a new id. */
	| { kind: "duplicate"; id: string; renamed: string }
	/** The header was missing or unreadable; its fields were taken from the file's name and entries. */
	| { kind: "header" }
	/** Damage was found and could not be set aside. */
	| { kind: "unrepaired"; reason: string }
	/** Entries are in memory only, until the disk accepts them. Reported once per outage. */
	| { kind: "unsaved"; reason: string }
	| { kind: "saved"; entries: number }
	/** An image that the entry refers to no longer exists; a text replaces it. */
	| { kind: "missing"; id: string; reference: string }
	/** Another process wrote to the file as well; its entries are in the tree. */
	| { kind: "foreign"; entries: number }
	/** The lock was taken over while this process slept. Nothing more is written. */
	| { kind: "taken"; owner: LockOwner | undefined };

export type ProblemListener = (problem: LogProblem) => void;

/** Returns one line for the user, or undefined if the user need not know. */
export function describeProblem(problem: LogProblem, path: string): string | undefined {
	const name = basename(path);
	switch (problem.kind) {
		case "torn":
			return `The last line of ${name} was incomplete. It was moved to ${name}.damaged.`;
		case "damaged":
			return `A line of ${name} was damaged. It was moved to ${name}.damaged.`;
		case "header":
			return `${name} has no readable header and was read without it.`;
		case "unrepaired":
			return `${name} is damaged and cannot be repaired: ${problem.reason}`;
		case "unsaved":
			return `The session is not being saved: ${problem.reason}. Tau keeps it in memory and tries again.`;
		case "saved":
			return "The session is being saved again, including all messages since.";
		case "missing":
			return `An image of ${name} is missing. The session continues without it.`;
		case "foreign":
			return `Another program is writing to ${name} at the same time.`;
		case "taken":
			return `The session is no longer being saved: ${formatOwner(problem.owner)} took over ${name}.`;
		case "orphan":
		case "cycle":
		case "duplicate":
			return undefined;
	}
}

export function formatOwner(owner: LockOwner | undefined): string {
	if (!owner) return "another process";
	const state = isSuspended(owner) ? " (suspended; fg in its terminal continues it)" : "";
	return `process ${owner.pid} on ${owner.host}${state}`;
}

export function formatNewer({ path, version }: { path: string; version: number }): string {
	return `${basename(path)} was written by a newer version of Tau or pi (format ${version}). Use that version, or fork the session.`;
}
