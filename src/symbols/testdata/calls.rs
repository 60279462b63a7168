// Rust: real, inlined and generic functions, closures and trait methods.
#![allow(non_snake_case)]
extern "C" {
    fn Probe(label: *const u8);
}

// A value that the optimiser may not look through (std::hint::black_box needs rustc 1.66, Debian 12 has 1.63).
#[inline(always)]
fn opaque<T: Copy>(x: T) -> T {
    unsafe { std::ptr::read_volatile(&x) }
}

mod inner {
    pub struct Shape(pub u32);

    pub trait Area {
        fn area(&self) -> u32;
    }

    impl Area for Shape {
        #[inline(never)]
        fn area(&self) -> u32 {
            unsafe { crate::Probe(b"trait\0".as_ptr()) };
            crate::opaque(inlined(self.0)) + self.0 // call:inlined
        }
    }

    #[inline(always)]
    fn inlined(x: u32) -> u32 {
        unsafe { crate::Probe(b"inlined\0".as_ptr()) };
        crate::opaque(x) + 1
    }

    #[inline(never)]
    pub fn generic<T: Into<u64>>(x: T) -> u64 {
        unsafe { crate::Probe(b"generic\0".as_ptr()) };
        crate::opaque(x.into()) + 1
    }
}

fn main() {
    use inner::Area;
    let shape = inner::Shape(std::env::args().count() as u32);
    std::process::exit(if shape.area() as u64 + inner::generic(shape.0) > 1 { 0 } else { 1 });
}
