/** SQLite databases: queries and changes of single rows. */
export { changeRow, type RowTarget } from "./change-row.ts";
export { limits as databaseLimits } from "./limits.ts";
export {
	queryDatabase,
	type DatabaseAnswer,
	type DatabaseFile,
	type DatabaseQuestion,
	type TableFacts,
} from "./query.ts";
