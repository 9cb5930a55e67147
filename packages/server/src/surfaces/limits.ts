/** The bounds of what extensions draw for terminals elsewhere, each with its reason. */
import { connectionLimits } from "@tau/wire";

export const limits = {
	/** How long a component stays open for a client whose connection was lost: as long as that tries to come back. */
	lostMs: connectionLimits.lostMs,
	/** Clients for which components stay open at a time: each may have timers of its own. */
	lostClients: 8,
	/** How long the branch that a footer shows may be an old one: reading it takes two files. */
	branchMs: 1000,
	/** Statuses, shortcuts and names of what is drawn; an extension has a few. */
	values: 200,
	/** Characters of a status, a title or a name: each is a part of a line. */
	valueChars: 1000,
	/** The default time between two frames of a working indicator, as on a screen of this process. */
	indicatorMs: 80,
} as const;
