//! gradyn
