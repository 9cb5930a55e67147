/** The door of schemas: a builder by TypeBox's names, and a check of values. */
export type {
	SchemaOptions,
	Static,
	StaticObject,
	TObject,
	TOptional,
	TProperties,
	TSchema,
} from "./schema.ts";
export { StringEnum, Type } from "./type.ts";
export { checkValue, type Checked } from "./validate.ts";
