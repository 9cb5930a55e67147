/** SQLite databases: queries and changes of single rows. */
export { changeRow, type RowTarget } from "./change-row.ts";
export {
	uriOf,
	type DatabaseAnswer,
	type DatabaseFile,
	type DatabaseQuestion,
	type TableFacts,
} from "./query.ts";
