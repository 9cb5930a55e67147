/** What `tau doctor` and `/doctor` report: the state of each part that a session needs, and every problem with its fix. */
import type { Discovered } from "./discovered.ts";

export interface Problem {
	area: string;
	problem: string;
	/** A command, or what to edit. */
	fix: string;
	/** With an error a session does not work as it is set up; a warning costs something, and the rest works. */
	severity: "error" | "warning";
}

export interface Check {
	name: string;
	state: "ok" | Problem["severity"];
	/** What is there. */
	about: string;
}

export interface DoctorReport extends Discovered {
	checks: Check[];
	problems: Problem[];
}

export const checkSigns = { ok: "✓", warning: "!", error: "✗" } as const;
