/**
 * Controls, format characters (bidirectional marks among them), lone surrogates, line and paragraph separators, characters
 * that never stand in a text, and those that a reader does not see.
 */
export const INVISIBLE_CHARACTERS =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}]/gu;
