/** The door of schemas: a builder by TypeBox's names, and a check of values. */
export type { Static, TObject, TSchema } from "./schema.ts";
export { StringEnum, Type } from "./type.ts";
export { checkValue } from "./validate.ts";
export { Compile, values } from "./value.ts";
