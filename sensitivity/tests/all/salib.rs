//! The files that `data/salib.py` writes.

/// Samples, outputs, and estimates by name.
pub(crate) struct File {
    /// One after the other.
    pub(crate) samples: Vec<f64>,
    /// One for each sample.
    pub(crate) outputs: Vec<f64>,
    estimates: Vec<(String, Vec<f64>)>,
}

impl File {
    /// The estimates of that name.
    pub(crate) fn named(&self, name: &str) -> &[f64] {
        &self.estimates.iter().find(|(other, _)| other == name).expect("the file has that line").1
    }
}

/// Reads a file of samples with so many parameters.
pub(crate) fn read(text: &str, parameters: usize) -> File {
    let mut file = File { samples: vec![], outputs: vec![], estimates: vec![] };
    for line in text.lines() {
        let (name, numbers) = line.split_once(',').expect("a name and numbers");
        let numbers: Vec<f64> = numbers.split(',').map(|x| x.parse().expect("a number")).collect();
        if name == "sample" {
            file.samples.extend(&numbers[..parameters]);
            file.outputs.push(numbers[parameters]);
        } else {
            file.estimates.push((name.to_string(), numbers));
        }
    }
    file
}
