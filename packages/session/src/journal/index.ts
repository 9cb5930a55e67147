/** The entry point `@tau/session/journal`. */
export {
	ChangeJournal,
	type JournalEntry,
	type JournalEvent,
	type JournalListener,
	type JournalOptions,
} from "./journal.ts";
